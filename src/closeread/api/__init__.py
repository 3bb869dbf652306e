"""The command line's verbs as functions; ``closeread`` itself names them."""
