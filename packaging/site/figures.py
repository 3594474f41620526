"""Figures of the landing page, read out of docs/inside/benchmarks.md: that page is their source.

  figures.py --check      prints them; exit status 1 where the page lacks one
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = "docs/inside/benchmarks.md"
# (heading, beginning of the row, column by its head, pattern of the figure, unit, text)
FIGURES = (
    ("Initial sync of 100,000 pods, and events", "informer, protobuf, LIST", "µs per object",
     r"([\d.]+)", "µs", "of CPU for each pod of a first list of 100,000, over TLS"),
    ("Initial sync of 100,000 pods, and events", "informer, protobuf, LIST",
     "RSS above the empty process, B per object", r"([\d,]+)", "B",
     "of memory for each pod of 2 KB in the cache, all told"),
    ("Initial sync of 100,000 pods, and events", "protobuf", "saturated", r"([\d,]+)", "",
     "events reach a handler in a second of CPU"),
    ("A thousand informers of ten pods", "RSS each, protobuf", "now", r"([\d.]+) KB", "KB",
     "for an informer with its watch and ten pods"),
    ("Reads", "`Snapshot::Get(namespace, name)`", "100 keys", r"(\d+)", "ns",
     "to find a pod in a snapshot, without a lock"),
    ("Requests", "awaited on the loop, 64 at once", "now, beside libcurl", r"([\d.]+)", "×",
     "the CPU of plain libcurl for a request, 64 at once (client-go: {peer})"),
)
PEER = ("Requests", "client-go, 64 at once", "now, beside libcurl", r"([\d.]+)")


def section(text, heading):
    """The text below a heading, up to the next one of the same rank or a higher one."""
    match = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    if match is None:
        raise LookupError(f"{PAGE}: there is no heading {heading}")
    rest = text[match.end():]
    end = re.search(rf"^#{{1,{len(match.group(1))}}} ", rest, re.MULTILINE)
    return rest[:end.start()] if end else rest


def tables(text):
    """(head, rows) of each table."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if re.match(r"\|[-|: ]+\|$", line):
            rows = []
            for row in lines[number + 1:]:
                if not row.startswith("|"):
                    break
                rows.append(split(row))
            yield split(lines[number - 1]), rows


def split(line):
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def figure(text, heading, row, column, pattern):
    for head, rows in tables(section(text, heading)):
        if column not in head:
            continue
        for cell in rows:
            if cell[0] == row or (cell[0].startswith(row) and row.startswith("`")):
                match = re.search(pattern, cell[head.index(column)])
                if match:
                    return match.group(1)
    raise LookupError(f"{PAGE}: below {heading} no table has the row {row} with {column}: mend the "
                      "row here or in packaging/site/figures.py")


def figures():
    """(figure, unit, text) of each."""
    text = (ROOT / PAGE).read_text()
    peer = figure(text, *PEER)
    return [(figure(text, *place), unit, words.format(peer=peer))
            for *place, unit, words in FIGURES]


def main():
    for number, unit, words in figures():
        print(f"{number} {unit} {words}".replace("  ", " "))


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        sys.exit(__doc__)
    try:
        main()
    except LookupError as error:
        sys.exit(str(error))
