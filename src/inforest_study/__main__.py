"""`python -m inforest_study`: the same as `inforest bench`."""

from inforest_study.cli import app

app(prog_name="python -m inforest_study")
