"""Pretrains an encoder on texts by masked language modelling."""
