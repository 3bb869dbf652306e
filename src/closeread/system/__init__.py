"""What the operating system is asked for: folders, locks, signals, sums of files."""
