"""The words of pages, plots and tables, in English and Chinese."""
