"""A question made harder: one file a strategy, what forbids a change, and how triples are made."""
