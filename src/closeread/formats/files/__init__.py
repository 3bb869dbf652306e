"""Files on their way in: inflated, checked, streamed, and broken ones explained; and out, whole."""
