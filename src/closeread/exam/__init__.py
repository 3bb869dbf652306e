"""The exam that ships: our own passages and questions."""
