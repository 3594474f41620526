"""Checks a built site: each link and each anchor leads somewhere, and no page asks another server.

  check.py SITE       exit status 1, and a line for each finding

A link that a reader may follow to another site is no request. Scripts, styles, images, fonts and
frames of another server are; so are addresses inside styles.
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

LOADS = {"script": ("src",), "img": ("src", "srcset"), "iframe": ("src",), "link": ("href",),
         "source": ("src", "srcset"), "video": ("src", "poster"), "audio": ("src",),
         "object": ("data",), "embed": ("src",), "image": ("href", "xlink:href"),
         "use": ("href", "xlink:href")}
NO_REQUEST = {"canonical", "prev", "next", "alternate", "me"}  # kinds of <link>
ELSEWHERE = re.compile(r"(?:[a-z][a-z+.-]*:)?//", re.IGNORECASE)
IN_STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(html.parser.HTMLParser):
    """The links, anchors and loads of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.loads, self.style = [], set(), [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.style = tag == "style"
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag == "link" and NO_REQUEST & set((values.get("rel") or "").split()):
            return
        for name in LOADS.get(tag, ()):
            for part in (values.get(name) or "").split(","):
                if part.strip():
                    self.loads.append(part.split()[0])
        self.loads += [one or other for one, other in IN_STYLE.findall(values.get("style") or "")]

    def handle_data(self, data):
        if self.style:
            self.loads += [one or other for one, other in IN_STYLE.findall(data)]


def is_elsewhere(address):
    return ELSEWHERE.match(address) is not None


def findings(site):
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site)
        for load in page.loads:
            if is_elsewhere(load):
                yield f"{name}: asks another server for {load}"
        for link in page.links + [load for load in page.loads if not load.startswith("data:")]:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or (path.name == "404.html"):
                continue
            target = path if not parts.path else (
                path.parent / urllib.parse.unquote(parts.path)).resolve()
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                yield f"{name}: the link {link} leads nowhere"
            elif parts.fragment and target.suffix == ".html":
                anchor = urllib.parse.unquote(parts.fragment)
                if anchor not in pages[target].anchors and not anchor.startswith("__"):
                    yield f"{name}: {link}: the page has no such anchor"
    for path in sorted(site.rglob("*.css")):
        for one, other in IN_STYLE.findall(path.read_text()):
            if is_elsewhere(one or other):
                yield f"{path.relative_to(site)}: asks another server for {one or other}"


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    site = pathlib.Path(arguments[0]).resolve()
    found = list(findings(site))
    print("\n".join([*found, f"{len(list(site.rglob('*.html')))} pages, {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
