"""The inputs of benchmarks: data sets and predictions, generated from a seed."""
