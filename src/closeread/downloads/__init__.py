"""Where published sets lie, and how they are fetched and checked."""
