"""What a training keeps on disk: its folder, states to go on from, and going on from them."""
