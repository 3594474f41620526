#!/usr/bin/env python3
"""Writes the version script of a shared library from the archive of the same objects.

  exported_symbols.py --abi N --nm NM --sources FOLDER... --out MAP -- ARCHIVE [OTHER...]

Exported under KINFORMER_N is what stands in namespace kinformer, except the rooms of the sources
(kinformer::internal::client and so on), which no public header uses. Inline functions are left out,
as each program compiles its own; those of templates that a source instantiates (`template class`)
are not. What the archives OTHER use beside that is exported under
KINFORMER_N_PRIVATE: it is for libraries of the same build only.
"""

import argparse
import pathlib
import re
import subprocess

# Namespaces inside kinformer::internal that are parts of public headers.
PUBLIC_ROOMS = {"descriptors", "kit", "mutable_tables", "types"}
# Types of other rooms that public headers define.
PUBLIC_TYPES = {"DeltaExtra", "HeadJudge"}
INSTANTIATED = re.compile(r"^template (?:class|struct) (?:\w+::)*(\w+)<", re.MULTILINE)
PREFIX = re.compile(r"_Z(?:T[VISTWHC]|GV|Th?v?n?\d+_(?:n?\d+_)?|GR)?(?P<local>Z*)N[VKrRO]*")
FUNCTION, INLINE_FUNCTION = "T", "W"


def names(symbol):
    """The first names of a mangled name, outermost first; [] where it has no namespace."""
    match = PREFIX.match(symbol)
    rest, found = symbol[match.end():] if match else "", []
    while length := re.match(r"\d+", rest):
        end = length.end() + int(length.group())
        found.append(rest[length.end():end])
        rest = rest[end:]
    return found


def is_public(symbol, letter, templates):
    """Whether programs may use a symbol, whose kind `letter` is that of nm."""
    found = names(symbol)
    if not found or found[0] != "kinformer":
        return False
    if letter == INLINE_FUNCTION and not any(
            f"{len(name)}{name}I" in symbol for name in templates):
        return False
    if PREFIX.match(symbol)["local"] and letter in (FUNCTION, INLINE_FUNCTION):
        return False  # a lambda
    if len(found) < 3 or found[1] != "internal" or not found[2].islower():
        return True
    return found[2] in PUBLIC_ROOMS or found[-1] in PUBLIC_TYPES


def symbols(nm, archive, option):
    """{symbol: letter} of an archive."""
    listed = subprocess.run([nm, "-g", "-P", option, archive], check=True, capture_output=True,
                            text=True).stdout
    lines = (line.split() for line in listed.splitlines())
    return {words[0]: words[1] for words in lines if len(words) > 1 and len(words[1]) == 1}


def instantiated(folders):
    """The templates of which the sources have instances for everyone."""
    return {name for folder in folders for path in pathlib.Path(folder).rglob("*.cc")
            for name in INSTANTIATED.findall(path.read_text())}


def version_script(abi, public, private):
    def node(name, listed, end):
        lines = [f"    {symbol};" for symbol in sorted(listed)]
        return "\n".join([f"{name} {{", *(["  global:"] if lines else []), *lines, end])

    first = f"KINFORMER_{abi}"
    text = node(first, public, "  local:\n    *;\n};\n")
    return text + node(f"{first}_PRIVATE", private, f"}} {first};\n") if private else text


def main():
    parser = argparse.ArgumentParser()
    for option in ("--abi", "--nm", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("--sources", nargs="+", required=True)
    parser.add_argument("archive")
    parser.add_argument("others", nargs="*")
    given = parser.parse_args()

    templates = instantiated(given.sources)
    own = symbols(given.nm, given.archive, "--defined-only")
    public = {name for name, letter in own.items() if is_public(name, letter, templates)}
    used = {name for other in given.others
            for name in symbols(given.nm, other, "--undefined-only")}
    private = {name for name in used & own.keys() if name not in public}
    pathlib.Path(given.out).write_text(version_script(given.abi, public, private))


if __name__ == "__main__":
    main()
