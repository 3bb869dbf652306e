"""What pages, plots and tables say, in English and Chinese."""
