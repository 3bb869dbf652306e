"""Language models as readers: their prompts, and how answers are extracted from their texts."""
