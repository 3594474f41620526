"""Emits the table of values that members cannot have, for the embedded API server."""

import pathlib

from descriptors import HEADER


def rows(folder):
    """where, type, member, rule, argument, reason, field, message."""
    lines = (pathlib.Path(folder) / "values.tsv").read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def source(folder, schema):
    out = [HEADER]
    for row in rows(folder):
        if row[1] not in schema.by_full_name:
            raise ValueError(f"values.tsv: there is no message {row[1]}")
        out.append("{" + ", ".join(f'R"~({cell})~"' for cell in row) + "},\n")
    return "".join(out)
