"""What other harnesses saved of their runs, one file per harness; ``runs.ingest`` stores them."""
