"""Language models as readers: prompts, requests, and extraction of answers from generated text."""
