"""Question or option -> the sentences that bear on it."""
