"""Measurements in the environment of ``make neural``; each can be run alone."""
