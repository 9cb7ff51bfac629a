"""`python -m inforest.cli`: the command where no script was installed."""

from inforest.cli import app

if __name__ == "__main__":
    app(prog_name="inforest")
