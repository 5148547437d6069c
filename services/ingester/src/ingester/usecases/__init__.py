"""What the ingester does, step by step."""
