"""How the agents work together, and what becomes of their labels."""
