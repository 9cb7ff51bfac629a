"""Programs that hear Ctrl-C, also where a shell has started the tests with `&`, deaf to it."""

import signal
import subprocess
import sys


def hear():
    """Let SIGINT do what it does in a terminal; return what it did before."""
    return signal.signal(signal.SIGINT, signal.default_int_handler)


def python(code):
    """Return the arguments for `subprocess` that run code which hears Ctrl-C."""
    return dict(args=[sys.executable, "-c", code], text=True, preexec_fn=hear)


def start(code):
    """Start code that hears Ctrl-C."""
    return subprocess.Popen(**python(code), stdout=subprocess.PIPE)
