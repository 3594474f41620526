"""Drawings of the code as SVG, in the colours of the page: they stand inside it.

  - the pipeline: the way of an event through the rooms of the code. Each box is a room that
    scripts/layers knows, and says what the room holds; an arrow between rooms is drawn only where
    one of them, by way of others, includes the other.
  - the layers: all rooms, and who includes whom, laid out by Graphviz.

  pipeline.py --check     exit status 1 where the pipeline is not that of the code
"""

import html
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from source_tree import Tree  # noqa: E402

# (row, column, room or None, title, text). A box without a room is outside the library.
BOXES = (
    (0, 0, None, "API server", "LIST, WATCH"),
    (1, 0, "transport", "Transport", "HTTP/2, TLS, one loop"),
    (2, 0, "client", "ListerWatcher", "frames bodies, makes objects"),
    (3, 0, "cache/watch", "Reflector", "lists, watches, resumes"),
    (4, 0, "cache/deltas", "RealFIFO", "changes, in order"),
    (5, 0, "cache/apply", "InformerController", "applies, then tells"),
    (6, 0, "cache/store", "StoreCore", "objects and indexes"),
    (6, 1, "cache/delivery", "Processor, Listener", "a bounded queue a handler"),
    (7, 1, "workqueue", "WorkQueue", "keys, retries, pace"),
    (7, 0, None, "Lister, Snapshot", "your reads, without locks"),
    (8, 1, "controller/reconcile", "Controller", "your reconciler"),
)
ARROWS = (("API server", "Transport"), ("Transport", "ListerWatcher"),
          ("ListerWatcher", "Reflector"), ("Reflector", "RealFIFO"),
          ("RealFIFO", "InformerController"), ("InformerController", "StoreCore"),
          ("InformerController", "Processor, Listener"), ("StoreCore", "Lister, Snapshot"),
          ("Processor, Listener", "WorkQueue"), ("WorkQueue", "Controller"))
# Data passes here by types of the user's, or by an interface of a lower layer, not by an include.
BY_INTERFACE = {("Processor, Listener", "WorkQueue")}
WIDTH, HEIGHT, GAP_X, GAP_Y, INSET = 200, 62, 20, 26, 11


class Rooms:
    """What the rooms hold, and what they need."""

    def __init__(self):
        self.tree = Tree(ROOT)
        self.lines, self.needs = {}, {name: set() for name in self.tree.order}
        for path in self.tree.files:
            layer = self.tree.layer_of(path)
            if layer and not self.tree.is_test(path):
                count = (ROOT / path).read_text().count("\n")
                self.lines[layer] = self.lines.get(layer, 0) + count
        for include in self.tree.includes:
            layer = self.tree.layer_of(include.path)
            other = self.tree.layer_of(include.target) if include.target else None
            if layer and other and layer != other and not self.tree.is_test(include.path):
                self.needs[layer].add(other)

    def reaches(self, start, goal):
        seen, waiting = set(), [start]
        while waiting:
            for other in self.needs[waiting.pop()] - seen:
                if other == goal:
                    return True
                seen.add(other)
                waiting.append(other)
        return False


def check(rooms):
    """What the drawing says and the code does not."""
    room_of = {title: room for _, _, room, title, _ in BOXES}
    for room in filter(None, room_of.values()):
        if room not in rooms.tree.order:
            yield f"packaging/site/pipeline.py: {room} is no room of the code: mend BOXES"
            return
    for arrow in ARROWS:
        one, other = (room_of[title] for title in arrow)
        if one and other and arrow not in BY_INTERFACE and not (
                rooms.reaches(one, other) or rooms.reaches(other, one)):
            yield (f"packaging/site/pipeline.py: {one} and {other} know nothing of each other: "
                   "mend ARROWS")


def place(row, column):
    return 8 + column * (WIDTH + GAP_X), 8 + row * (HEIGHT + GAP_Y)


def pipeline(rooms):
    """The SVG of the pipeline; raises ValueError where it is not what the code is."""
    if errors := list(check(rooms)):
        raise ValueError("\n".join(errors))
    at = {title: place(row, column) for row, column, _, title, _ in BOXES}
    rows = max(row for row, *_ in BOXES) + 1
    width, height = 16 + 2 * WIDTH + GAP_X, 16 + rows * HEIGHT + (rows - 1) * GAP_Y
    out = [f'<svg class="pipeline" viewBox="0 0 {width} {height}" role="img" '
           'xmlns="http://www.w3.org/2000/svg" aria-label="The way of an event through the code">',
           '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
           'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>']
    for one, other in ARROWS:
        x1, y1 = at[one][0] + WIDTH / 2, at[one][1] + HEIGHT
        x2, y2 = at[other][0] + WIDTH / 2, at[other][1]
        middle = (y1 + y2) / 2
        way = f"M{x1} {y1}V{y2 - 2}" if x1 == x2 else f"M{x1} {y1}V{middle}H{x2}V{y2 - 2}"
        out.append(f'<path class="way" d="{way}" marker-end="url(#tip)"/>')
    for row, column, room, title, text in BOXES:
        x, y = place(row, column)
        name = f"{room} · {rooms.lines[room]:,}" if room else text
        kind = "room" if room else "outside"
        out += [f'<g class="{kind}">'
                f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>',
                f'<text class="title" x="{x + INSET}" y="{y + 22}">{html.escape(title)}</text>',
                f'<text x="{x + INSET}" y="{y + 39}">{html.escape(text if room else "")}</text>'
                if room else "",
                f'<text class="name" x="{x + INSET}" y="{y + (54 if room else 42)}">'
                f'{html.escape(name)}</text></g>']
    return "\n".join(line for line in out if line) + "</svg>"


def dot(mermaid):
    """Graphviz' text for the drawing that scripts/layers makes."""
    out = ['digraph { rankdir=TB; ranksep=0.45; nodesep=0.18; bgcolor="transparent";',
           'node [shape=box style="rounded" fontname="sans-serif" fontsize=13 height=0.3];',
           'edge [arrowsize=0.6]; graph [fontname="sans-serif" fontsize=14];']
    for line in mermaid.splitlines():
        words = line.strip()
        if match := re.fullmatch(r"(\w+)\[(.*)\]", words):
            out.append(f'{match.group(1)} [label="{match.group(2)}"];')
        elif match := re.fullmatch(r"(\w+) --> (\w+)", words):
            out.append(f"{match.group(1)} -> {match.group(2)};")
        elif match := re.fullmatch(r"subgraph (\w+)", words):
            out.append(f'subgraph cluster_{match.group(1)} {{ label="{match.group(1)}";')
        elif words == "end":
            out.append("}")
    return "\n".join([*out, "}"])


def layers(mermaid):
    """The SVG of all rooms, without colours of its own."""
    drawn = subprocess.run(["dot", "-Tsvg"], input=dot(mermaid), text=True, check=True,
                           capture_output=True).stdout
    drawn = drawn[drawn.index("<svg"):]
    drawn = re.sub(r"<!--.*?-->|<title>.*?</title>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r' (?:stroke|fill|font-family)="[^"]*"', "", drawn)
    drawn = drawn.replace("<svg ", '<svg class="layers" role="img" aria-label="Rooms of the code, '
                                   'and who includes whom" ', 1)
    return "\n".join(line for line in drawn.splitlines() if line.strip())


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        sys.exit(__doc__)
    sys.exit("\n".join(check(Rooms())) or 0)
