"""Measurements of whole processes and hot loops, each as a ratio against a peer or a floor."""
