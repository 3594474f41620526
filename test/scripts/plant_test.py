#!/usr/bin/env python3
"""Tests of test/planted/plant: what it makes of an edits file, and what it calls stale."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "planted" / "plant"
loader = importlib.machinery.SourceFileLoader("plant", str(SCRIPT))
plant = importlib.util.module_from_spec(importlib.util.spec_from_loader("plant", loader))
loader.exec_module(plant)

SOURCE = "int F() {\n  // Returns one.\n  return 1;\n}\n\nint G() {\n  return 2;\n}\n"
EDITS = "--- a.cc\n@@ kTwo\n int F() {\n-  return 1;\n+  return Planted(kTwo) ? 2 : 1;\n }\n"


class Plant(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "a.cc").write_text(SOURCE)

    def tearDown(self):
        self.folder.cleanup()

    def planted(self, edits):
        (self.root / "x.edits").write_text(edits)
        plant.plant(self.root / "x.edits", self.root, self.root / "copies")
        return (self.root / "copies/a.cc").read_text()

    def test_a_hunk_is_found_past_comments_and_empty_lines(self):
        self.assertEqual(self.planted(EDITS),
                         '#include "planted/x_bugs.h"\n'
                         "int F() {\n  return Planted(kTwo) ? 2 : 1;\n}\nint G() {\n"
                         "  return 2;\n}\n")
        self.assertEqual((self.root / "a.cc").read_text(), SOURCE)

    def test_hunks_of_one_source_are_all_planted(self):
        text = self.planted(EDITS + "@@ kThree\n-  return 2;\n+  return 3;\n }\n")
        self.assertIn("Planted(kTwo)", text)
        self.assertIn("return 3;", text)

    def test_a_source_that_has_changed_is_stale(self):
        (self.root / "a.cc").write_text(SOURCE.replace("1", "11"))
        with self.assertRaisesRegex(plant.Stale, "x.edits:2: a.cc, kTwo: .* 0 times"):
            self.planted(EDITS)

    def test_lines_that_are_there_twice_are_stale(self):
        with self.assertRaisesRegex(plant.Stale, "2 times"):
            self.planted("--- a.cc\n@@ kX\n+  f();\n }\n")

    def test_a_line_without_a_hunk_is_named(self):
        with self.assertRaisesRegex(plant.Stale, "1: neither"):
            self.planted("nonsense\n")

    def test_the_list_has_each_source_once(self):
        self.assertEqual([source for source, *_ in plant.hunks(EDITS + "@@ kY\n }\n")],
                         ["a.cc", "a.cc"])


if __name__ == "__main__":
    unittest.main()
