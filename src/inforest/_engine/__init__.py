"""What stands between Python and the core: data, trees, seeds, threads."""
