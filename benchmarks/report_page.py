"""How long a browser takes to open a report of 20,000 features; needs Chromium and tornado.

    python benchmarks/report_page.py                 # makes the report first, some minutes
    python benchmarks/report_page.py report.html     # one that is there

Times are those of the page itself, from the request to its first picture and to the end of its
scripts, each the longest of five loads in new tabs.
"""

import argparse
import asyncio
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from tornado.websocket import websocket_connect

from inforest import write_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
TIMES = """new Promise((done) => {
  const tell = () => setTimeout(() => done([
    performance.getEntriesByName("first-contentful-paint")[0].startTime,
    performance.getEntriesByType("navigation")[0].loadEventEnd]), 300);
  if (document.readyState === "complete") tell(); else addEventListener("load", tell);
})"""


def wide_report(path, n=120, p=20_000):
    """Write a report of a wide table in which five features matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = (X[:, :5].sum(axis=1) + rng.normal(size=n) > 0).astype(int)
    write_report(path, X, y, n_estimators=20, random_state=0, n_jobs=-1)


async def ask(socket, number, method, session=None, **params):
    """Send a command of the browser's protocol and wait for its answer."""
    message = {"id": number, "method": method, "params": params}
    await socket.write_message(json.dumps(message | ({"sessionId": session} if session else {})))
    while True:
        answer = json.loads(await socket.read_message())
        if answer.get("id") == number:
            return answer["result"]


async def load(socket, url, number):
    """Open the page in a new tab and return its times in milliseconds."""
    tab = await ask(socket, number, "Target.createTarget", url="about:blank")
    found = await ask(
        socket, number + 1, "Target.attachToTarget", targetId=tab["targetId"], flatten=True
    )
    session = found["sessionId"]
    await ask(socket, number + 2, "Page.enable", session)
    await ask(socket, number + 3, "Page.navigate", session, url=url)
    told = await ask(
        socket, number + 4, "Runtime.evaluate", session,
        expression=TIMES, awaitPromise=True, returnByValue=True,
    )  # fmt: skip
    await ask(socket, number + 5, "Target.closeTarget", targetId=tab["targetId"])
    return told["result"]["value"]


async def measure(path, folder):
    """Print the times of five loads of the page."""
    command = [
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"),
        f"--user-data-dir={folder}",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as browser:
        try:
            lines = iter(browser.stderr.readline, "")
            address = next(filter(None, (re.search(r"ws://\S+", line) for line in lines)))
            socket = await websocket_connect(address[0])
            found = [await load(socket, path.as_uri(), 10 * i) for i in range(1, 6)]
        finally:
            browser.kill()
    paint, end = map(max, zip(*found, strict=True))
    size = path.stat().st_size / 1e6
    print(f"{size:.2f} MB: first picture after {paint:.0f} ms, loaded after {end:.0f} ms")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("report", nargs="?", type=Path)
    path = options.parse_args().report
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if path is None:
            path = Path(folder, "report.html")
            wide_report(path)
        asyncio.run(measure(path.resolve(), Path(folder, "profile")))


if __name__ == "__main__":
    main()
