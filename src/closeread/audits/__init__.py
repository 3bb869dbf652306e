"""Can the number be believed? Checks of scorers, runs, benchmarks and data sets."""
