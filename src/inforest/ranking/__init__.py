"""Features in order of what they tell."""
