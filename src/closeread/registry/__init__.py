"""Looks up named parts, makes them from options, and checks users' own against their protocols."""
