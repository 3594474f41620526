#!/usr/bin/env python3
"""Bytes that members of archives put into a program, from the map that GNU ld writes (-Map).

    bench/linked_bytes.py MAP PREFIX

Counts what is loaded (.text, .rodata, .data, .bss and their like) of archives whose name begins
with PREFIX, and prints one line of JSON: all bytes, bytes of each archive, and the ten largest
members.
"""

import collections
import json
import re
import sys

LOADED = (".text", ".rodata", ".data", ".bss", ".eh_frame", ".gcc_except_table", ".tbss", ".tdata",
          ".init_array")
# " .text._Zname" may stand on a line of its own, with address, size and file on the next.
PLACED = re.compile(r"^ (\.\S+)?\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+/)?([^/()\s]+\.a)\(([^)]+)\)$")


def main(path, prefix):
    archives = collections.Counter()
    members = collections.Counter()
    kinds = collections.Counter()
    section = ""
    placed = False
    for line in open(path, encoding="utf-8", errors="replace"):
        line = line.rstrip("\n")
        if line.startswith("Linker script and memory map"):
            placed = True  # before that: what was discarded
        if not placed:
            continue
        alone = re.match(r"^ (\.\S+)$", line)
        if alone:
            section = alone.group(1)
            continue
        found = PLACED.match(line)
        if found is None:
            continue
        section = found.group(1) or section
        archive, member, size = found.group(4), found.group(5), int(found.group(2), 16)
        if archive.startswith(prefix) and section.startswith(LOADED):
            archives[archive] += size
            members[member] += size
            kinds["." + section.split(".")[1]] += size
    print(json.dumps({"linked_bytes": sum(archives.values()), "sections": dict(kinds.most_common()),
                      "archives": dict(archives.most_common()),
                      "largest_members": dict(members.most_common(10))}))


if __name__ == "__main__":
    main(*sys.argv[1:])
