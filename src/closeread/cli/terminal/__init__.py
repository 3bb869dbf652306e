"""What the verbs share: how they take places and readers, and how they print."""
