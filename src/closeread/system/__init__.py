"""What the operating system provides: folders, file locks, signals, checksums of files."""
