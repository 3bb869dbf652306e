"""Language models as readers: what they are shown, and how an answer is read from their words."""
