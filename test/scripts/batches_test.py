#!/usr/bin/env python3
"""cmake/batches.py: which sources of a program or library are compiled as one."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "batches.py"
CALL = re.compile(r'kinformer_batch\(program "-O1;-g" "([^"]+)" (.*)\)')


def groups(kind="tests", **files):
    """The batches of one program with these sources; headers are files, too, and no sources."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        sources = {}
        for name, text in files.items():
            suffix = ".h" if name.startswith("header") else (
                "_test.cc" if kind == "tests" else ".cc")
            path = folder / f"{name}{suffix}"
            path.write_text(text, encoding="utf-8")
            if suffix != ".h":
                sources[str(path)] = name
        subprocess.run([sys.executable, "-B", SCRIPT, folder / "made"], text=True, check=True,
                       input="\t".join(["program", kind, "-O1;-g", *sources]) + "\n")
        found = []
        for line in (folder / "made/batches.cmake").read_text(encoding="utf-8").splitlines():
            batch, names = CALL.fullmatch(line).groups()
            names = [name.strip('"') for name in names.split()]
            included = pathlib.Path(batch).read_text(encoding="utf-8")
            assert included == "".join(f'#include "{name}"\n' for name in names)
            found.append({sources[name] for name in names})
        return found


class Batches(unittest.TestCase):
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

    def test_eight_tests_or_sixteen_sources_of_a_library_are_the_most(self):
        files = {f"t{number}": f"int number_{number};\n" for number in range(18)}
        self.assertEqual([len(group) for group in groups(**files)], [8, 8, 2])
        self.assertEqual([len(group) for group in groups("library", **files)], [16, 2])

    def test_a_function_of_a_librarys_header_is_defined_in_one_source_and_used_in_another(self):
        header = "int Help();\n"
        files = {"a": '#include "header.h"\nint Help() {\n', "b": "int b = Help();\n"}
        self.assertEqual(groups("library", header=header, **files), [{"a", "b"}])
        self.assertEqual(groups("tests", header=header, **files), [])

    def test_members_of_two_classes_may_have_one_name(self):
        self.assertEqual(groups(a="int A::Run() {\n", b="int B::Run() {\n"), [{"a", "b"}])

    def test_a_source_with_planted_bugs_is_alone(self):
        root = SCRIPT.parents[1]
        edits = next(iter(sorted((root / "test/planted").glob("*.edits"))))
        planted = re.search(r"^--- (\S+)", edits.read_text(encoding="utf-8"), re.MULTILINE)[1]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder).resolve()
            other = folder / "other.cc"
            other.write_text("int x;\n", encoding="utf-8")
            subprocess.run([sys.executable, "-B", SCRIPT, folder], text=True, check=True,
                           input=f"program\tlibrary\t\t{root / planted}\t{other}\n")
            self.assertEqual((folder / "batches.cmake").read_text(encoding="utf-8"), "")


if __name__ == "__main__":
    unittest.main()
