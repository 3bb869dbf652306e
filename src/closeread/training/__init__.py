"""Data sets -> what a reader has learned; one trainer a kind of reader."""
