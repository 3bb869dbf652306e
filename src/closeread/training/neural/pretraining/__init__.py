"""A language learned from texts alone, before any question."""
