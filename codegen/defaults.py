"""Emits the table of defaults for the embedded API server."""

import pathlib

from descriptors import HEADER


def rows(folder):
    """where, type, member, when, value."""
    lines = (pathlib.Path(folder) / "defaults.tsv").read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def source(folder, schema):
    out = [HEADER]
    for where, message, member, when, value in rows(folder):
        if message not in schema.by_full_name:
            raise ValueError(f"defaults.tsv: there is no message {message}")
        cells = ", ".join(f'R"({cell})"' for cell in (where, message, member, when, value))
        out.append(f"{{{cells}}},\n")
    return "".join(out)
