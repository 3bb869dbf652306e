"""The strategies for Chinese statements: what they reword, what they turn, and on what ground."""
