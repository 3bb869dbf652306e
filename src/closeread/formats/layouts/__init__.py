"""What several published formats share: trees of articles, options, annotations, rows."""
