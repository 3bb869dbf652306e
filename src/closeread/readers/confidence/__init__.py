"""How sure a prediction may be: signs of it, and the chance that it is right, learned, applied."""
