#!/usr/bin/env python3
"""scripts/mutation.py on pieces of C++: which faults are planted where, and where none are; and the
commands by which scripts/mutation_build.py builds them."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import mutation  # noqa: E402
import mutation_build  # noqa: E402

loader = importlib.machinery.SourceFileLoader(
    "mutate", str(pathlib.Path(mutation.__file__).parent / "mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
loader.exec_module(mutate)


def changed(text):
    return [(mutant.rule, mutant.changed) for mutant in mutation.mutants_of("a.cc", text)]


class Mutation(unittest.TestCase):
    def test_operators(self):
        self.assertEqual(changed("if (a < b && !c) {"), [
            ("comparison", "if (a <= b && !c) {"),
            ("connective", "if (a < b || !c) {"),
            ("negation", "if (a < b && c) {")])
        self.assertEqual(changed("return std::min(a, b) + c;"), [
            ("bound", "return std::max(a, b) + c;"),
            ("sum", "return std::min(a, b) - c;")])

    def test_constants(self):
        self.assertEqual(changed("bool on = true;"), [("truth", "bool on = false;")])
        self.assertEqual(changed("int n = 7;"), [("number", "int n = 8;")])
        self.assertEqual(changed("int n = 500;"), [("number", "int n = 1000;")])
        self.assertEqual(changed("virtual void F() const = 0;"), [])
        self.assertEqual(changed("std::int64_t x2{};"), [])

    def test_statements(self):
        self.assertEqual(changed("  lock.unlock();"),
                         [("statement", "static_cast<void>(0);")])
        self.assertEqual(changed("  if (over) return;"),
                         [("statement", "static_cast<void>(0);")])
        self.assertEqual(changed("  size_ = other;"), [("statement", "static_cast<void>(0);")])
        self.assertEqual(changed("  return other;"), [])
        self.assertEqual(changed("  const int size = other;"), [])
        self.assertEqual(changed("  rows_.reserve(size + 1);"), [])
        self.assertEqual(changed("  store_.Expect({rows, size});"), [])
        self.assertEqual(changed('  asm("" : "+r"(mask));'), [])
        self.assertEqual(changed("  reserved(size);"), [("statement", "static_cast<void>(0);")])
        self.assertEqual(changed("  void Clear(Rows& rows);"), [])
        self.assertEqual(changed("  std::vector<Row> rows(size);"), [])
        self.assertEqual(changed("  Add(first,\n      second(size));"), [])
        self.assertEqual(changed("  const int size =\n      Sum(rows);"), [])
        self.assertEqual(changed("  if (over) {\n    Add(rows);"),
                         [("statement", "static_cast<void>(0);")])
        self.assertEqual(changed("  if (over)\n    Add(rows);"),
                         [("statement", "static_cast<void>(0);")])
        self.assertEqual(changed('  out_ = "a" + name;'), [("statement", "static_cast<void>(0);")])

    def test_what_only_says_something_is_left_alone(self):
        self.assertEqual(changed('// a < b, 1\n/* true\n 2 */ "x < 3 \\" 4" R"(5 && 6)" \'7\''), [])
        self.assertEqual(changed("#if A < 2\n#define B 3 \\\n  + 4\n#endif"), [])
        self.assertEqual(changed("template <int N = 3>\nusing A = B<4>;"), [])

    def test_place(self):
        text = "int a;\n  a = b == c;  // 1 == 2\n"
        mutant, = mutation.mutants_of("a.cc", text)
        self.assertEqual((mutant.line, mutant.column), (2, 8))
        self.assertEqual(mutant.apply(text), "int a;\n  a = b != c;  // 1 == 2\n")
        self.assertEqual(mutant.key(), ("a.cc", "a = b == c;", "a = b != c;"))


class Build(unittest.TestCase):
    def test_a_changed_source_is_compiled_elsewhere_quickly_and_quietly(self):
        self.assertEqual(
            mutation_build.compile_command(
                "/usr/bin/ccache /usr/bin/c++ -I/a/src -O2 -DNDEBUG -Wall -Werror -std=c++20 -MD "
                "-MT x.o -MF x.o.d -o x.o -c /a/src/x.cc", "/b/src/x.cc", "/b/0.o", "/b/src"),
            ["/usr/bin/c++", "-iquote", "/b/src", "-I/a/src", "-DNDEBUG", "-std=c++20", "-w", "-O0",
             "-o", "/b/0.o", "-c", "/b/src/x.cc"])

    def test_changed_objects_stand_in_front_of_archives_or_in_their_places(self):
        self.assertEqual(
            mutation_build.link_command(
                ": && /usr/bin/c++ -O2 t/a_test.cc.o t/b_test.cc.o -o bin/a libx.a -lz && :",
                "/b/a", {"t/b_test.cc.o": "/b/0.o", "x/x.cc.o": "/b/1.o"}),
            ["/usr/bin/c++", "-O2", "t/a_test.cc.o", "/b/0.o", "/b/1.o", "-o", "/b/a", "libx.a",
             "-lz"])

    def test_dependencies_are_those_of_the_tree(self):
        root = pathlib.Path("/a")
        text = ("x/x.cc.o: #deps 3, deps mtime 1 (VALID)\n    ../../src/x.cc\n    ../../src/x.h\n"
                "    /usr/include/c++/12/string\n\n"
                "y.o: #deps 1, deps mtime 1 (VALID)\n    /a/src/y.cc\n\n")
        self.assertEqual(mutation_build.dependencies(text, root / "build/mutate", root),
                         {"x/x.cc.o": {"src/x.cc", "src/x.h"}, "y.o": {"src/y.cc"}})


class Explanations(unittest.TestCase):
    def test_each_is_of_a_fault_that_there_is(self):
        self.assertEqual(mutate.without_fault(mutate.explanations()), [],
                         "these lines have changed: strike them from test/mutants.txt")


if __name__ == "__main__":
    unittest.main()
