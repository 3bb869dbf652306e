"""What a claim says, and which of it stands in which sentence."""
