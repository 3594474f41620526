#!/usr/bin/env python3
"""scripts/changed-code in a repository made for it: which changes of a source count as code."""

import importlib.machinery
import importlib.util
import io
import contextlib
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "changed-code"
loader = importlib.machinery.SourceFileLoader("changed_code", str(SCRIPT))
changed_code = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("changed_code", loader))
loader.exec_module(changed_code)

BEFORE = """// a.cc
#include "a.h"

int Twice(int x) {
  return x + x;  // NOLINT(some-check): it is as it is
}
const char* kUrl = "http://example.com";  // where
"""


class ChangedCode(unittest.TestCase):
    def changed(self, after, name="a.cc"):
        """What the script prints where the file became `after`, under `name`."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)

            def git(*arguments):
                subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b",
                                *arguments], check=True, capture_output=True)
            git("init", "-q")
            (root / "a.cc").write_text(BEFORE)
            git("add", ".")
            git("commit", "-qm", "first")
            if name != "a.cc":
                git("mv", "a.cc", name)
            (root / name).write_text(after)
            git("add", ".")
            git("commit", "-qm", "second")
            changed_code.ROOT = root
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                changed_code.main(["HEAD~1", "*.cc"])
            return out.getvalue().split()

    def test_comments_blanks_and_includes_are_no_code(self):
        after = BEFORE.replace("// where", "// the address").replace('"a.h"', '"b/a.h"')
        self.assertEqual(self.changed(after.replace("x + x", "x  +  x")), [])

    def test_a_moved_file_has_not_changed(self):
        self.assertEqual(self.changed(BEFORE, "b.cc"), [])

    def test_code_and_texts_are_code(self):
        self.assertEqual(self.changed(BEFORE.replace("x + x", "x * 2")), ["a.cc"])
        self.assertEqual(self.changed(BEFORE.replace("example.com", "example.org")), ["a.cc"])
        self.assertEqual(self.changed(BEFORE.replace("x + x", "x * 2"), "b.cc"), ["b.cc"])

    def test_what_clang_tidy_obeys_is_code(self):
        marked = BEFORE.replace("  // NOLINT(some-check): it is as it is", "")
        self.assertEqual(self.changed(marked), ["a.cc"])


if __name__ == "__main__":
    unittest.main()
