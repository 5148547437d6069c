"""Takes recent code in: follows sources, extracts functions, and says which of them can become tasks."""
