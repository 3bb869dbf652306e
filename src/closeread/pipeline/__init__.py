"""Executes whole tasks: recipes from reading to report, attacks, and evidence extraction."""
