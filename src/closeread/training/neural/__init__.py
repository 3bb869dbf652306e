"""Trains readers with learned encoders; torch, transformers and accelerate are imported here."""
