#!/usr/bin/env python3
"""scripts/first-guesses: what counts as found, and what it says of a list."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "first-guesses"
loader = importlib.machinery.SourceFileLoader("first_guesses", str(SCRIPT))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("first_guesses", loader))
loader.exec_module(script)

HEADERS = {
    "cache/queue.h": '#include "kinformer/cache/delta.h"\nclass Queue {\n  class Inner {};\n};\n',
    "cache/delta.h": '#include "kinformer/cache/queue.h"\nstruct Delta {};\nclass Object;\n'
                     "using Deltas = int;\n// class Comment {};\n",
    "base/wait.h": "Result<void> PollUntil(Env& env,\n                       int x);\n"
                   "[[nodiscard]] std::shared_ptr<T> Kind(\n    int x) {\n  return Called(x);\n}\n"
                   "template <class T>\nconcept Resource = true;\nclass [[nodiscard]] Error {};\n"
                   "enum class Type { kA };\n",
    "object/object.h": "class Object {};\n",
    "internal/hidden.h": "class Hidden {};\n",
}
LIST = "# Names.\n\ncache.Queue cache/queue.h Queue\ncache.Delta cache/queue.h Delta\n"


class FirstGuesses(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in HEADERS.items():
            path = self.root / "include" / "kinformer" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.root / script.LIST).parent.mkdir(parents=True)

    def check(self, text, names=0, found=0):
        (self.root / script.LIST).write_text(text)
        return script.check(self.root, names, found)

    def test_declarations_of_all_kinds_count_and_others_do_not(self):
        for name in ("PollUntil", "Kind", "Resource", "Error", "Type"):
            self.assertTrue(script.declares(HEADERS["base/wait.h"], name), name)
        for name in ("Called", "Poll", "Env", "kA", "T"):
            self.assertFalse(script.declares(HEADERS["base/wait.h"], name), name)
        for name in ("Object", "Comment"):
            self.assertFalse(script.declares(HEADERS["cache/delta.h"], name), name)
        self.assertFalse(script.declares(HEADERS["cache/queue.h"], "Inner"))

    def test_names_of_the_header_and_of_those_that_it_includes_are_found(self):
        self.assertEqual(self.check(LIST, 2, 2), (
            [], ["found cache.Queue in cache/queue.h", "found cache.Delta in cache/queue.h"]))

    def test_names_elsewhere_and_headers_that_are_not_there_are_missed(self):
        text = "a.Object cache/delta.h Object\na.Queue a/queue.h Queue\n"
        findings, lines = self.check(text, 2, 1)
        self.assertEqual(lines, ["MISSED a.Object in cache/delta.h: Object is in object/object.h",
                                 "MISSED a.Queue in a/queue.h: Queue is in cache/queue.h"])
        self.assertEqual(findings[:2], lines)
        self.assertIn("0 of 2 names are found at the first guess, 1 have to be", findings[2])

    def test_few_misses_are_no_finding(self):
        self.assertEqual(self.check(LIST + "a.Object a/object.h Object\n", 3, 2)[0], [])

    def test_names_that_only_internal_headers_declare_are_findings(self):
        findings, _ = self.check("a.Hidden internal/hidden.h Hidden\na.Gone a/gone.h Gone\n")
        self.assertEqual(findings, [f"{script.LIST}:2: no public header declares Gone: correct the "
                                    "line"])
        findings, _ = self.check("a.Hidden a/hidden.h Hidden\n")
        self.assertEqual(len(findings), 1)

    def test_lists_that_are_shorter_or_have_a_name_twice_are_findings(self):
        self.assertIn("2 names, there were 3", self.check(LIST, 3, 2)[0][0])
        findings, _ = self.check(LIST + "cache.Queue cache/delta.h Queue\n", 3, 2)
        self.assertEqual(findings, [f"{script.LIST}: cache.Queue is there 2 times"])

    def test_lines_of_another_form_are_findings(self):
        self.assertEqual(self.check("cache.Queue cache/queue.h\n")[0],
                         [f"{script.LIST}:1: not a name in Go, a header and a name"])


if __name__ == "__main__":
    unittest.main()
