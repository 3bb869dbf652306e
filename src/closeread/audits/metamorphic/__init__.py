"""Does a scorer keep its promises? Transformed answers, and bugs planted to test the promises."""
