"""The output folder of a training, its saved states, and resuming from them."""
