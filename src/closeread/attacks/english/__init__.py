"""The strategies for English statements: what they reword, what they turn, and on what ground."""
