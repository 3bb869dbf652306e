"""Trains readers on data sets, with one trainer for each kind of reader."""
