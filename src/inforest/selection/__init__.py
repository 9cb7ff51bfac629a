"""How many features to keep."""
