"""HTTP: the client of all remote models, and the reader that asks a served reader."""
