"""Reading and checking what was fitted."""
