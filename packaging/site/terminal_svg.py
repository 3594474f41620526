"""Screens of a terminal as one SVG, which shows them one after the other by CSS alone.

A line that stands on many screens is drawn once, and shown again by reference. Whoever asks for
less motion sees the last screen that has more than the prompt.
"""

import html

CELL, LINE, FRAME, BAR = 8.4, 18, 14, 34
COLOURS = {"black": "#586069", "red": "#f97583", "green": "#85e89d", "brown": "#ffea7f",
           "yellow": "#ffea7f", "blue": "#79b8ff", "magenta": "#b392f0", "cyan": "#73e3ff",
           "white": "#e1e4e8", "default": "#e1e4e8"}
BACKGROUND = "#1b1f27"


def lines_of(screen):
    """The screen as a tuple of lines, each a tuple of (column, text, colour, bold, background)."""
    lines = []
    for row in range(screen.lines):
        runs = []
        for column in range(screen.columns):
            cell = screen.buffer[row][column]
            colour, background = cell.fg, cell.bg
            if cell.reverse:
                colour, background = BACKGROUND, "white"
            style = (colour, cell.bold, background)
            if runs and runs[-1][2:] == style:
                runs[-1] = (runs[-1][0], runs[-1][1] + cell.data, *style)
            else:
                runs.append((column, cell.data, *style))
        lines.append(tuple((column, text.rstrip() if run[2] == "default" else text, *run)
                           for column, text, *run in runs
                           if text.strip() or run[2] != "default"))
    return tuple(lines)


def colour_of(name):
    if name.startswith("#"):
        return name
    if name in COLOURS:
        return COLOURS[name]
    if name.startswith("bright"):
        return COLOURS.get(name.removeprefix("bright"), COLOURS["default"])
    return f"#{name}" if len(name) == 6 else COLOURS["default"]


def line_svg(line):
    out = []
    for column, text, colour, bold, background in line:
        x = column * CELL
        if background != "default":
            out.append(f'<rect x="{x:.1f}" y="-13" width="{len(text) * CELL:.1f}" '
                       f'height="{LINE}" fill="{colour_of(background)}"/>')
        if text.strip():
            weight = ' font-weight="bold"' if bold else ""
            out.append(f'<text x="{x:.1f}" textLength="{len(text) * CELL:.1f}" '
                       f'fill="{colour_of(colour)}"{weight}>{html.escape(text)}</text>')
    return "".join(out)


def drawn(frames, columns, rows, title):
    """`frames` are (seconds, lines); the last stays for three seconds before all begins again."""
    lines, uses = {}, []
    for _, frame in frames:
        used = []
        for row, line in enumerate(frame):
            if line:
                number = lines.setdefault(line, len(lines))
                used.append(f'<use href="#l{number}" y="{row * LINE}"/>')
        uses.append("".join(used))
    start, total = frames[0][0], frames[-1][0] - frames[0][0] + 3
    fullest = max(range(len(frames)),
                  key=lambda number: (sum(map(bool, frames[number][1])), number))
    style = ["svg{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}",
             "text{white-space:pre}", "g.f{visibility:hidden}"]
    shapes = []
    for number, (seconds, _) in enumerate(frames):
        begin = (seconds - start) / total * 100
        end = (frames[number + 1][0] - start) / total * 100 if number + 1 < len(frames) else 100
        first = "" if number == 0 else "0%{visibility:hidden}"
        last = f"{end:.3f}%,100%{{visibility:hidden}}" if end < 100 else ""
        style.append(f"@keyframes k{number}{{{first}{begin:.3f}%{{visibility:visible}}{last}}}"
                     f"#f{number}{{animation:k{number} {total:.2f}s step-end infinite}}")
        shapes.append(f'<g class="f" id="f{number}">{uses[number]}</g>')
    style.append("@media (prefers-reduced-motion:reduce){g.f{animation:none!important}"
                 f"#f{fullest}{{visibility:visible}}}}")
    width, height = columns * CELL + 2 * FRAME, rows * LINE + 2 * FRAME + BAR
    dots = "".join(f'<circle cx="{20 + 20 * at}" cy="17" r="6" fill="{colour}"/>'
                   for at, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")))
    shared = "".join(f'<g id="l{number}">{line_svg(line)}</g>' for line, number in lines.items())
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}"><title>{html.escape(title)}</title>'
            f'<style>{"".join(style)}</style><defs>{shared}</defs>'
            f'<rect width="100%" height="100%" rx="9" fill="{BACKGROUND}"/>{dots}'
            f'<text x="{width / 2:.0f}" y="22" text-anchor="middle" fill="#8b949e">'
            f'{html.escape(title)}</text>'
            f'<g transform="translate({FRAME} {FRAME + BAR})">{"".join(shapes)}</g></svg>\n')
