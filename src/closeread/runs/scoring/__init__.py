"""The steps of scoring a run: choose metrics, score questions, write lines, summarize."""
