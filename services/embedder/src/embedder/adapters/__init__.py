"""Models, database and bus behind the embedder's ports."""
