#!/usr/bin/env python3
"""Generates what the build of Bazel compiles besides the files of the tree.

  packaging/bazel/generate.py ROOT INCLUDE SRC API REGISTRY PAGE

ROOT is the tree. INCLUDE and SRC become folders with headers, API one with sources, of which each
is several of codegen/generate.py as one: most of the time of one goes to its headers. REGISTRY and
PAGE become sources.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

TABLES = "registry_tables.cc"
BATCH = 6
ALONE = ("corev1.cc", "corev1_mutable.cc")  # the largest ones


def batches(sources):
    """The sources in groups that are compiled as one."""
    alone = [source for source in sources if source.name in ALONE]
    others = [source for source in sources if source.name not in ALONE]
    return [[source] for source in alone] + [others[begin:begin + BATCH]
                                             for begin in range(0, len(others), BATCH)]


def main():
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    root, include, src, api, registry, page = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        generated = pathlib.Path(folder)
        run = [sys.executable, "-B"]
        subprocess.run([*run, root / "codegen/generate.py", root / "schema", generated], check=True)
        subprocess.run([*run, root / "src/controller/debug/page_files.py", page,
                        root / "src/controller/debug/page"], check=True)
        shutil.copytree(generated / "include", include, dirs_exist_ok=True)
        shutil.copytree(generated / "src", src, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("*.cc"))
        shutil.copy(generated / "src/api" / TABLES, registry)
        sources = sorted(path for path in (generated / "src/api").glob("*.cc")
                         if path.name != TABLES)
        others = set((generated / "src").rglob("*.cc")) - set(sources)
        if [path.name for path in others] != [TABLES]:
            sys.exit(f"generated, and compiled by nobody: {sorted(others)}")
        api.mkdir(parents=True, exist_ok=True)
        for number, batch in enumerate(batches(sources), 1):
            text = "".join(f'#line 1 "{source.relative_to(generated)}"\n{source.read_text()}'
                           for source in batch)
            (api / f"api_{number}.cc").write_text(text)


if __name__ == "__main__":
    main()
