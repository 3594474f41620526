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


def groups(kind="library", **files):
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
            if kind == "library":
                included = pathlib.Path(batch).read_text(encoding="utf-8")
                assert included == "".join(f'#include "{name}"\n' for name in names)
            found.append({sources[name] for name in names})
        return found


class Batches(unittest.TestCase):
    def test_sources_without_a_common_name_go_together(self):
        self.assertEqual(groups(a="int Left() { return 1; }\n", b="int Right() { return 2; }\n"),
                         [{"a", "b"}])

    def test_helpers_of_one_name_are_kept_apart(self):
        for text in ("int Help(int x) {\n", "struct Help {\n", "constexpr int Help = 3;\n",
                     "using Help = int;\n", "MATCHER_P(Help, x, \"\") {\n", "const A Help[] = {\n"):
            with self.subTest(text=text):
                self.assertEqual(groups(a=text, b=text), [])

    def test_a_name_that_the_other_source_uses_is_kept_apart(self):
        self.assertEqual(groups(a="struct Pod {\n", b="void B() { Pod pod; }\n"), [])

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

    def test_sixteen_sources_are_the_most(self):
        files = {f"t{number}": f"int number_{number};\n" for number in range(18)}
        self.assertEqual([len(group) for group in groups(**files)], [16, 2])

    def test_a_function_of_a_librarys_header_is_defined_in_one_source_and_used_in_another(self):
        header = "int Help();\n"
        files = {"a": '#include "header.h"\nint Help() {\n', "b": "int b = Help();\n"}
        self.assertEqual(groups(header=header, **files), [{"a", "b"}])

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


def test(text, before="", after=""):
    """A source of a test: all in an unnamed namespace, but for what comes before and after it."""
    return (f"{before}namespace kinformer {{\nnamespace {{\n\n{text}\n"
            f"}}  // namespace\n{after}}}  // namespace kinformer\n")


class Tests(unittest.TestCase):
    def test_tests_with_the_same_names_go_together(self):
        text = test("struct Row {};\nTEST(A, B) { Row row; }\n")
        self.assertEqual(groups("tests", a=text, b=text), [{"a", "b"}])

    def test_what_stands_outside_of_the_unnamed_namespace_keeps_a_test_alone(self):
        plain = test("int x;\n")
        for other in (test("", after="int y;\n"), test("", before="extern int y;\n"), "int y;\n",
                      test("}  // namespace\nint y;\nnamespace {\n"),
                      test("", before="#define A 1\n")):
            with self.subTest(other=other):
                self.assertEqual(groups("tests", a=plain, b=plain, c=other), [{"a", "b"}])

    def test_the_namespace_kinformer_testing_is_kept_from_those_that_mean_googletests(self):
        header = "namespace kinformer::testing {}\n"
        sees = test("", before='#include "header.h"\n')
        means, says = test("  testing::Eq(1);\n"), test("  ::testing::Eq(1);\n")
        self.assertEqual(groups("tests", a=sees, b=means, header=header), [])
        self.assertEqual(groups("tests", a=sees, b=says, header=header), [{"a", "b"}])

    def test_twenty_tests_are_the_most(self):
        files = {f"t{number}": test(f"int number_{number};\n") for number in range(22)}
        self.assertEqual([len(group) for group in groups("tests", **files)], [20, 2])

    def test_a_batch_has_the_headers_first_and_each_text_in_a_namespace_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder).resolve()
            sources = [folder / "a_test.cc", folder / "b_test.cc"]
            for source, name in zip(sources, ("A", "B")):
                source.write_text(test(f"int {name};", before="#include <map>\n\n"),
                                  encoding="utf-8")
            batch = folder / "made" / "batch.cc"
            (folder / "joined.txt").write_text(f"{batch}\t{sources[0]}\t{sources[1]}\n",
                                               encoding="utf-8")
            subprocess.run([sys.executable, "-B", SCRIPT, "--join", folder], check=True)
            rest = "}} }}  // namespace\n}}  // namespace kinformer\n"
            text = ('#line 1 "{}"\n\n\nnamespace kinformer {{\n'
                    "namespace batch_{} {{ namespace {{\n\n")
            self.assertEqual(batch.read_text(encoding="utf-8"), "#include <map>\n" + "".join(
                (text + "int {};\n" + rest).format(f"{folder.name}/{source.name}", number, name)
                for number, (source, name) in enumerate(zip(sources, ("A", "B")), 1)))


if __name__ == "__main__":
    unittest.main()
