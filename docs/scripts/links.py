"""Do all links of the built site lead somewhere? `make docs` runs it; no network is needed.

    python docs/scripts/links.py build/docs/html

Links to other sites are not followed, only looked at: https, and the name of a host.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: The address of a page of another site.
OUTSIDE = re.compile(r"https://(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#][^\s<>\"{}|\\^`]*)?")


class Page(HTMLParser):
    """What a page links to, and the places in it that others may link to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


def broken_links(root):
    """Return the links that lead nowhere, how many are inside the site, and those to others."""
    found = sorted(path for path in root.rglob("*.html") if "_static" not in path.parts)
    pages = {path.resolve(): Page(path) for path in found}
    broken, inside, outside = [], 0, []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                outside.append(link)
                if not OUTSIDE.fullmatch(link):
                    broken.append(f"{path.relative_to(root.resolve())}: {link}")
                continue
            inside += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            known = not place or target not in pages or place in pages[target].places
            if not target.exists() or not known:
                broken.append(f"{path.relative_to(root.resolve())}: {link}")
    return broken, inside, outside


def main():
    broken, inside, outside = broken_links(Path(sys.argv[1]))
    print(
        f"{inside:,} links inside the site; {len(outside):,} to other sites ({len(set(outside)):,}"
        f" addresses), not followed; {len(broken)} broken or malformed"
    )
    sys.exit("\n".join(broken) or 0)


if __name__ == "__main__":
    main()
