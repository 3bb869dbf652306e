"""All scorers over one set of answers: where they part, and why."""
