"""Tables and figures as files: one module per format."""
