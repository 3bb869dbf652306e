"""The curve of a training sent to trackers, as the recipe names them."""
