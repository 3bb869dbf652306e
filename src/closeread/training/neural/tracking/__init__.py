"""Sends the training curve to the experiment trackers that a recipe names."""
