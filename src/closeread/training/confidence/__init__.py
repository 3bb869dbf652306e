"""What ``closeread calibrate`` learns: how sure a reader may be, and from where on it answers."""
