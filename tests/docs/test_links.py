"""The check of the site's links finds what leads nowhere, and follows nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "docs/scripts/links.py"
GOOD = [
    "#here",
    "other.html",
    "other.html#there",
    "https://semver.org/",
    "https://a-b.org:80/c?d#e",
]


def check(folder, links):
    listed = "".join(f'<a href="{link}">x</a>' for link in links)
    (folder / "index.html").write_text(f'<p id="here">{listed}</p>')
    (folder / "other.html").write_text('<p id="there"></p>')
    run = [sys.executable, str(CHECK), str(folder)]
    return subprocess.run(run, capture_output=True, text=True, check=False)


def test_a_good_site(tmp_path):
    done = check(tmp_path, [*GOOD, GOOD[-1]])
    assert done.returncode == 0
    assert done.stdout == (
        "3 links inside the site; 3 to other sites (2 addresses), not followed; 0 broken or"
        " malformed\n"
    )


@pytest.mark.parametrize(
    "link",
    [
        *("#nowhere", "none.html", "other.html#here", "http://semver.org/", "https://semver"),
        *("https:/semver.org/", "https://sem ver.org/", "https://semver.org/a b", "//semver.org/"),
        "htps://semver.org/",
    ],
)
def test_a_link_that_leads_nowhere(link, tmp_path):
    done = check(tmp_path, [*GOOD, link])
    assert done.returncode == 1
    assert f"index.html: {link}" in done.stderr
    assert "1 broken or malformed" in done.stdout
