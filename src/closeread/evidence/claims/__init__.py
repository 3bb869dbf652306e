"""Splits a claim into weighted terms, and finds the sentences that contain them."""
