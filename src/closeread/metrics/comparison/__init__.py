"""Two systems or more on the same questions: by how much one is better, and how surely."""
