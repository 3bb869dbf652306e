"""A recipe, from reading to report."""
