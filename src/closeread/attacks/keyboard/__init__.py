"""Typing errors: slips of the fingers, and homophones in Chinese."""
