"""`python -m inforest.bench`: the same as `inforest bench`."""

from inforest.bench.cli import app

app(prog_name="python -m inforest.bench")
