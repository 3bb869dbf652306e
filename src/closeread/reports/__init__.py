"""Runs -> something to read."""
