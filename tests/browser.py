"""A page in a real browser: what its scripts made of it, and what the console says."""

import html
import json
import re
import shutil
import subprocess

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--enable-logging=stderr",
    "--virtual-time-budget=60000",
    "--dump-dom",
]
#: The page in a frame as wide as a phone, because a window cannot be that narrow; the frame's
#: content has the origin of the page around it, so that scripts may look into it.
FRAME = """<!DOCTYPE html><body><iframe id="frame" style="width:{width}px;height:900px;border:0"
srcdoc="{page}"></iframe><pre id="result"></pre><script>
document.getElementById("frame").addEventListener("load", function () {{
  const page = this.contentDocument;
  const result = (function () {{ {script} }})();
  document.getElementById("result").textContent = JSON.stringify(result);
}});
</script></body>"""


def browse(tmp_path, page):
    """Return the document after its scripts ran, and what the console says."""
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    command = [CHROMIUM, *OPTIONS, profile, path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, console


def ask(tmp_path, page, script, width=360):
    """Return what a script finds in the page, which it may click and fill in before."""
    framed = FRAME.format(width=width, page=html.escape(page), script=script)
    for _ in range(3):
        # On a busy machine virtual time may end while the frame is still being read: then there is
        # no answer, and a script of which a part is missing does not have the hash that the page's
        # policy asks for. A policy that is wrong refuses it every time.
        document, console = browse(tmp_path, framed)
        found = re.search(r'<pre id="result">(.*?)</pre>', document, re.DOTALL).group(1)
        if found and not console:
            break
    assert console == [], console
    return json.loads(html.unescape(found))
