"""The recipe options of each trainer of a learned encoder, parsed without torch."""
