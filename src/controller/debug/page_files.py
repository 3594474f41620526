#!/usr/bin/env python3
"""Writes a source file with the files of the page as texts.

  src/controller/debug/page_files.py OUT PAGE       PAGE is the folder page/
"""

import pathlib
import sys

FILES = (("Html", "index.html"), ("Script", "page.js"), ("Style", "page.css"))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    out, page = map(pathlib.Path, sys.argv[1:])
    source = '#include "controller/debug/page_files.h"\n\n'
    source += "namespace kinformer::internal::debug {\n\n"
    for name, file in FILES:
        text = (page / file).read_text(encoding="utf-8")
        source += (f'const std::string_view kPage{name} = '
                   f'R"kinformer-page({text})kinformer-page";\n')
    out.write_text(source + "\n}  // namespace kinformer::internal::debug\n", encoding="utf-8")


if __name__ == "__main__":
    main()
