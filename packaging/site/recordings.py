"""The recordings of recordings.txt."""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def scripts():
    """(name, columns, rows, title, steps) of each recording."""
    found = []
    for line in (HERE / "recordings.txt").read_text().splitlines():
        word, _, rest = line.partition(" ")
        if not word or word == "#":
            continue
        if word == "recording":
            name, columns, rows, title = rest.split(" ", 3)
            found.append((name, int(columns), int(rows), title, []))
        else:
            found[-1][4].append((word, rest))
    return found
