"""Question + prediction -> score; no model, no file. Named like the format they judge."""
