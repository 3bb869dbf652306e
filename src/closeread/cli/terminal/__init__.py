"""What the commands share: path options, reader options, progress and printing."""
