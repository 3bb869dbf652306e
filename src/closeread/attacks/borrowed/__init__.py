"""Sentences borrowed from other passages: candidates, their subjects, and where they fit."""
