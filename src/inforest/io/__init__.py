"""Files: saved estimators, and tables people bring."""
