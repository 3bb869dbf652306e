"""Readers with learned encoders: the side of them that imports torch and transformers."""
