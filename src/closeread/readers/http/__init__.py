"""HTTP: the client of all remote models, and the reader ``http`` of a served reader."""
