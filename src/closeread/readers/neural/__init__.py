"""Readers with trained models: the part that imports torch and transformers."""
