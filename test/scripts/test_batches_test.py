#!/usr/bin/env python3
"""cmake/test_batches.py: which tests of a program are compiled as one source."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "test_batches.py"


def groups(**files):
    """The batches of one program with these tests; headers are files, too, and no tests."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        for name, text in files.items():
            suffix = ".h" if name.startswith("header") else "_test.cc"
            (folder / f"{name}{suffix}").write_text(text, encoding="utf-8")
        tests = [str(folder / f"{name}_test.cc") for name in files if not name.startswith("header")]
        output = folder / "batches.cmake"
        subprocess.run([sys.executable, "-B", SCRIPT, output], text=True, check=True,
                       input="\t".join(["program", *tests]) + "\n")
        lines = output.read_text(encoding="utf-8").splitlines()
        return [{word.strip('"').split("/")[-1].removesuffix("_test.cc")
                 for word in line.split('" TARGET')[0].removeprefix(
                     "set_source_files_properties(").split()} for line in lines]


class TestBatches(unittest.TestCase):
    def test_tests_without_a_common_name_go_together(self):
        self.assertEqual(groups(a="int Left() { return 1; }\n", b="int Right() { return 2; }\n"),
                         [{"a", "b"}])

    def test_helpers_of_one_name_are_kept_apart(self):
        for text in ("int Help(int x) {\n", "struct Help {\n", "constexpr int Help = 3;\n",
                     "using Help = int;\n", "MATCHER_P(Help, x, \"\") {\n", "const A Help[] = {\n"):
            with self.subTest(text=text):
                self.assertEqual(groups(a=text, b=text), [])

    def test_a_name_that_the_other_test_uses_is_kept_apart(self):
        self.assertEqual(groups(a="struct Pod {\n", b="TEST(B, C) { Pod pod; }\n"), [])

    def test_members_qualified_names_texts_and_comments_do_not_count(self):
        self.assertEqual(groups(a="struct Pod {\n", b='  a.Pod; b->Pod; c::Pod; "Pod"; // Pod\n'),
                         [{"a", "b"}])

    def test_the_same_using_declaration_is_no_hindrance(self):
        using = "using testing::Eq;\n  Eq(1);\n"
        self.assertEqual(groups(a=using, b=using), [{"a", "b"}])
        self.assertEqual(groups(a=using, b=using.replace("testing", "other")), [])
        self.assertEqual(groups(a=using, b="  Eq(1);\n"), [])

    def test_what_has_macros_is_alone(self):
        self.assertEqual(groups(a="#define A 1\n", b="int b;\n", c="int c;\n"), [{"b", "c"}])

    def test_a_name_that_a_private_header_of_the_other_uses_is_kept_apart(self):
        header = "inline int One() { return Help(); }\n"
        self.assertEqual(groups(a="int Help();\n", b='#include "header.h"\n', header=header), [])
        both = '#include "header.h"\n'
        self.assertEqual(groups(a=both + "int Help();\n", b=both, header=header), [{"a", "b"}])

    def test_the_namespace_kinformer_testing_is_kept_from_those_that_mean_googletests(self):
        header = "namespace kinformer::testing {}\n"
        sees = '#include "header.h"\n'
        self.assertEqual(groups(a=sees, b="  testing::Eq(1);\n", header=header), [])
        self.assertEqual(groups(a=sees, b="  ::testing::Eq(1);\n", header=header), [{"a", "b"}])

    def test_a_batch_has_eight_files_at_most(self):
        files = {f"t{number}": f"int number_{number};\n" for number in range(10)}
        self.assertEqual([len(group) for group in groups(**files)], [8, 2])


if __name__ == "__main__":
    unittest.main()
