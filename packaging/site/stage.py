"""Gathers the pages of the site: docs/, the manual, the examples, the reference and the front page.

  stage.py OUT XML MANUAL RECORDINGS

OUT gets `pages`, for MkDocs, and `mkdocs.yml` with the order of the pages. XML is what
`scripts/api-reference --xml` made, MANUAL a folder of man pages, RECORDINGS one of SVGs.
"""

import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

import figures
import front
import options
import pipeline
import reference

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAMED = re.compile(r"(?<!\[)`((?:docs|examples)/[\w./-]+\.(?:md|cc)|"
                   r"CONTRIBUTING\.md|CHANGELOG\.md)`(?!\])")
ITEM = re.compile(r"(?:[-*]|\d+\.) ")
# Sections of docs/README.md, in the order of the tabs; the texts before the colon are their names.
SECTIONS = ("Guide", "Server", "Inside")


def staged(path):
    """Where a file of the repository has its page; None where it has none."""
    if path == "docs/README.md":
        return "contents.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if re.fullmatch(r"examples/\w+\.cc", path):
        return path.removesuffix(".cc") + ".md"
    return {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}.get(path)


def markdown(text, page):
    """Text as GitHub reads it, so that Python-Markdown sees the same, with links to pages named."""
    out, fence, indent = [], None, None
    for line in text.splitlines():
        if fence is None and re.match(r" *```", line):
            fence = len(line) - len(line.lstrip())
        elif fence is not None and re.match(r" *```$", line):
            fence = None
            out.append(indented(line, indent))
            continue
        if fence is None:
            item = ITEM.match(line)
            if item and out and out[-1].strip() and indent is None:
                out.append("")  # a list ends the paragraph before it
            if item:
                indent = item.end()
            elif line and not line.startswith(" ") and not (out and out[-1].strip()):
                indent = None
            line = NAMED.sub(lambda match: linked(match.group(1), page), line)
        out.append(indented(line, indent))
    return "\n".join(out) + "\n"


def indented(line, indent):
    """A line below an item of a list, as far in as Python-Markdown wants it."""
    if indent is not None and line.startswith(" " * indent):
        return " " * 4 + line[indent:]
    return line


def linked(name, page):
    target = staged(name)
    if target is None or not (ROOT / name).is_file():
        return f"`{name}`"
    return f"[`{name}`]({os.path.relpath(target, os.path.dirname(page) or '.')})"


def repaired(text, path, page):
    """Links that lead out of docs/, or to a page that has another name here."""
    def replaced(match):
        target, anchor = match.group(1), match.group(2) or ""
        named = os.path.normpath(os.path.join(os.path.dirname(path), target))
        place = staged(named)
        if place is None:
            raise LookupError(f"{path}: the link {target} leads to no page of the site")
        return f"]({os.path.relpath(place, os.path.dirname(page) or '.')}{anchor})"

    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if number % 2 else re.sub(r"\]\(([\w./-]+\.md)(#[^)]*)?\)", replaced, part)
                   for number, part in enumerate(parts))


def put(out, page, text):
    place = out / page
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def documents(out):
    """The pages of docs/; returns {section: [page]} in the order of docs/README.md."""
    paths = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))]
    for path in [*paths, "CONTRIBUTING.md", "CHANGELOG.md"]:
        page = staged(path)
        text = markdown(repaired((ROOT / path).read_text(), path, page), page)
        text = re.sub(r"```mermaid\n(.*?)```", lambda match: '<div class="drawing">\n' +
                      pipeline.layers(match.group(1)) + "\n</div>", text, flags=re.DOTALL)
        if path == options.PAGE:
            text = options.with_form(text)
        put(out, page, text)
    index = (ROOT / "docs/README.md").read_text()
    order = {}
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        name = part.split(":")[0].split("\n")[0]
        order[name] = [link for link in re.findall(r"\]\(([\w./-]+\.md)\)", part)]
    named = {f"docs/{link}" for links in order.values() for link in links}
    left = [path for path in paths if path not in named and not path.startswith("docs/decisions/")
            and path != "docs/README.md"]
    if left:
        raise LookupError(f"docs/README.md does not name {', '.join(left)}: add a row for each")
    return order


def examples(out):
    """A page for each example; returns their pages."""
    pages = []
    lines = ["# Examples\n", "Each is a program that is built and run by the tests.\n",
             "| program | what it shows |", "|---|---|"]
    for path in sorted((ROOT / "examples").glob("*.cc")):
        code = path.read_text()
        said = re.match(r"(?://.*\n)+", code)
        words = re.sub(r"^// ?", "", said.group() if said else "", flags=re.MULTILINE).strip()
        page = staged(path.relative_to(ROOT).as_posix())
        pages.append(page)
        put(out, page, markdown(f"# {path.stem}\n\n{words}\n\n```cpp\n"
                                f"{code[said.end() if said else 0:].strip()}\n```\n", page))
        first = re.split(r"(?<=\.)\s", words)[0].replace("\n", " ").replace("|", "\\|")
        lines.append(f"| [{path.stem}]({path.stem}.md) | {first} |")
    put(out, "examples/index.md", markdown("\n".join(lines), "examples/index.md"))
    return ["examples/index.md", *pages]


def manual(folder, out):
    """The man pages as pages; returns them."""
    pages = []
    lines = ["# The manual\n", "The man pages, as `kinformer help --man-directory` writes them.\n",
             "| command | what it does |", "|---|---|"]
    for path in sorted(folder.glob("*.1")):
        body = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.html", path],
                              text=True, check=True, capture_output=True).stdout
        body = re.sub(r"<table class=\"(?:head|foot)\">.*?</table>", "", body, flags=re.DOTALL)
        body = re.sub(r"\n\s*\n", "\n", body)
        name = re.search(r"Nd\">(.*?)<|— (.*?)\n|- (.*?)\n", body)
        words = path.stem.replace("-", " ", 1)
        page = f"manual/{path.stem}.md"
        pages.append((words, page))
        put(out, page, f"---\ntitle: {words}\n---\n\n# {words}\n\n"
                       f"<div class=\"man\">\n{body}</div>\n")
        said = next((group for group in name.groups() if group), "") if name else ""
        said = html.unescape(re.sub(r"<.*?>", "", said)).strip()
        lines.append(f"| [{words}]({path.stem}.md) | {said} |")
    put(out, "manual/index.md", "\n".join(lines) + "\n")
    return pages


def nav(order, shown, rooms, commands):
    """The order of the pages, as MkDocs' YAML."""
    lines = ["nav:", "  - Start: index.md"]
    for name in SECTIONS[:2]:
        lines += [f"  - {name}:", *(f"      - {page}" for page in order[name])]
    lines += ["  - Examples:", *(f"      - {page}" for page in shown), "  - Manual:",
              "      - manual/index.md", *(f"      - {words}: {page}" for words, page in commands)]
    lines += ["  - API:", "      - api/index.md"]
    for room, pages in rooms.items():
        lines += [f"      - {room}:", *(f"          - {title}: {page}" for title, page in pages)]
    lines += ["  - Inside:", *(f"      - {page}" for page in order["Inside"]
                               if not page.startswith("decisions/")),
              "      - contributing.md", "      - changelog.md", "      - contents.md",
              "  - Decisions:", "      - decisions/README.md"]
    lines += [f"      - decisions/{path.name}" for path in
              sorted((ROOT / "docs/decisions").glob("0*.md"))]
    return "\n".join(lines) + "\n"


def main(out, xml, man, recordings):
    out = pathlib.Path(out)
    pages = out / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(HERE / "theme/assets", pages / "assets")
    for path in sorted(pathlib.Path(recordings).glob("*.svg")):
        shutil.copy(path, pages / "assets")
    order = documents(pages)
    shown = examples(pages)
    commands = manual(pathlib.Path(man), pages)
    rooms = reference.write(pathlib.Path(xml) / "xml", pages)
    put(pages, "index.md", front.page(figures.figures(), pipeline.pipeline(pipeline.Rooms())))
    settings = (HERE / "mkdocs.yml").read_text()
    (out / "mkdocs.yml").write_text(settings + nav(order, shown, rooms, commands))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (LookupError, ValueError) as error:
        sys.exit(f"error: {error}")
