#!/usr/bin/env python3
"""scripts/doc-examples on a small tree: what is taken out, and a context without its page."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "doc-examples"
loader = importlib.machinery.SourceFileLoader("doc_examples", str(SCRIPT))
doc_examples = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("doc_examples", loader))
loader.exec_module(doc_examples)

PAGE = "# Page\n\n```cpp\nint x = Pages();\n```\n"
# Two examples that need {fmt}, and C++23.
INTEROP_PAGE = """# Interop

```cpp
#include "kinformer/interop/fmt.h"
int z = Needs();
```

```cpp
#include "kinformer/interop/expected.h"
int u = Newer();
```
"""
FMT = "#include <string>\n\n#include <fmt/format.h>\n\n#include \"kinformer/a.h\"\n"
EXPECTED = "#include <version>\n\n#ifdef __cpp_lib_expected\n#include <expected>\n#endif\n"
HEADER = "// kinformer/a.h\n//\n// A:\n//\n//   int y = Headers();\n//\n// Ends.\n#include <a>\n"


class DocExamples(unittest.TestCase):
    def run_on(self, contexts):
        """The two files that the script writes for a page and a header."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"README.md": PAGE, "docs/guide/page.md": PAGE,
                               "docs/guide/interop.md": INTEROP_PAGE,
                               "include/kinformer/interop/fmt.h": FMT,
                               "include/kinformer/interop/expected.h": EXPECTED,
                               "include/kinformer/a.h": HEADER}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            context = root / "test/doc_examples"
            context.mkdir(parents=True)
            for name in contexts:
                (context / name).write_text("")
            doc_examples.ROOT, doc_examples.CONTEXT = root, context
            doc_examples.main([str(root / "out")])
            return [(root / "out" / name).read_text() for name in ("documents.cc", "headers.cc")]

    def test_examples_of_pages_and_headers(self):
        documents, headers = self.run_on(["docs.guide.page.md.inc"])
        self.assertEqual(documents.count("Pages()"), 2)
        self.assertIn('docs.guide.page.md.inc"', documents)
        self.assertIn("Headers()", headers)
        self.assertNotIn("Pages()", headers)

    def test_examples_that_need_another_library(self):
        documents, headers = self.run_on([])
        self.assertIn('#if __has_include(<fmt/format.h>)\n'
                      '#include "kinformer/interop/fmt.h"\n#endif', headers)
        self.assertRegex(documents, r"#if __has_include\(<fmt/format.h>\)\n[^#]*#line[^#]*Needs\(\)"
                                    r"[^#]*#endif")
        self.assertRegex(documents, r"#if defined\(__cpp_lib_expected\)\n[^#]*#line[^#]*Newer\(\)"
                                    r"[^#]*#endif")
        # The include stands outside of the function, where it can be included.
        self.assertEqual(documents.count('#include "kinformer/interop/fmt.h"'), 1)

    def test_a_context_without_its_page_is_an_error(self):
        with self.assertRaises(SystemExit) as ended:
            self.run_on(["docs.page.md.inc"])
        self.assertIn("docs.page.md.inc: there is no example", str(ended.exception.code))


if __name__ == "__main__":
    unittest.main()
