"""Slips: of the fingers, and of one character for another of the same sound."""
