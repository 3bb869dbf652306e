"""What is measured on: data sets and predictions, made from a seed."""
