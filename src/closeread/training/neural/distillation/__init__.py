"""Learning from what other models say: who they are, what they said, and the loss."""
