"""The front page of the site, of the README, the figures, the drawing and the recordings."""

import html
import pathlib
import re

import recordings

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def readme():
    """(introduction, program, differences) of the README."""
    text = (ROOT / "README.md").read_text()
    introduction = re.search(r"^# kinformer\n\n(.*?)\n\n", text, re.DOTALL).group(1)
    program = re.search(r"^```cpp\n(.*?)^```$", text, re.DOTALL | re.MULTILINE).group(1)
    differences = re.search(r"^## Differences from client-go\n\n(.*?)\n\n`docs", text,
                            re.DOTALL | re.MULTILINE).group(1)
    return introduction, program, differences


def page(figures, drawing):
    introduction, program, differences = readme()
    cards = "\n".join(
        f'<div class="figure"><strong>{html.escape(f"{number} {unit}".strip())}</strong>'
        f'<span>{html.escape(words)}</span></div>' for number, unit, words in figures)
    shots = "\n".join(
        f'<figure><img src="assets/{name}.svg" alt="{html.escape(title)}" loading="lazy" '
        f'width="{columns * 8.4 + 28:.0f}" height="{rows * 18 + 62}">'
        f"<figcaption>{html.escape(title)}</figcaption></figure>"
        for name, columns, rows, title, _ in
        recordings.scripts())
    differences = re.sub(r"\(`docs/guide/([\w-]+)\.md`\)", r"([more](guide/\1.md))", differences)
    differences = re.sub(r"\(`kinformer/([\w/]+)\.h`\)", r"([more](api/\1.md))", differences)
    return f"""---
title: kinformer
hide: [navigation, toc]
---

# Kubernetes informers for C++20 {{.headline}}

{introduction}

[Start the tutorial](guide/tutorial.md){{.md-button .md-button--primary}}
[Choose your options](guide/choose-options.md){{.md-button}}
[API reference](api/index.md){{.md-button}}

<div class="figures">
{cards}
</div>

The figures are those of [the benchmarks](inside/benchmarks.md), which say how each was measured,
and on what.

## A first program

```cpp
{program}```

## At a terminal

<div class="recordings">
{shots}
</div>

Recorded when this site was built, on [`kinformer apiserver`](server/apiserver.md); the commands are
in [the manual](manual/index.md).

## Differences from client-go

{differences}

[Coming from Go](guide/coming-from-go.md) has the names, and
[guarantees](guide/guarantees.md) all promises, each with its tests.

## How an event reaches your code

<div class="drawing">
{drawing}
</div>

The boxes are rooms of the code, each with its number of lines;
[How kinformer works inside](inside/internals.md) follows an event through them.
"""
