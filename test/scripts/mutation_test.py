#!/usr/bin/env python3
"""scripts/mutation.py on pieces of C++: which faults are planted where, and where none are; the
commands by which scripts/mutation_build.py builds them, and the switches of mutation_switch.py."""

import importlib.machinery
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import mutation  # noqa: E402
import mutation_build  # noqa: E402
import mutation_switch  # noqa: E402

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
        self.assertEqual(changed("  if (over) co_return Fail(why);"),
                         [("statement", "static_cast<void>(0);")])
        self.assertEqual(changed("  co_await Shape(objects);"),
                         [("statement", "static_cast<void>(0);")])
        self.assertEqual(changed("  co_return other;"), [])
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


# Every rule, operands that are chains, and operators that bind more or less tightly than those.
SOURCE = """
constexpr int kOften = 12;
int F(int a, int b, bool c) {
  int n = 0;
  const bool d = a < b && c || !c && a == 3 && b != a + 2;
  if (d || a > 4 && b >= 2 || b <= a - 3) n += 5;
  if (c && (a == b || n > 1)) return n;
  for (int i = 0, left = 40; i < kOften && left-- > 0; ++i) n -= d ? a : -b;
  if (n > 7) Note(n);
  --n;
  bool flag = true;
  if (n == 3) flag = false;
  return flag ? std::min(n, a * b) : std::max(a, 1);
}
"""
PROGRAM = """
#include <algorithm>
#include <cstdio>
#include <cstdlib>
namespace kinformer_mutation {
bool Reached(int fault) noexcept {
  static const char* const planted = std::getenv("MUTANT");
  return planted != nullptr && std::atoi(planted) == fault;
}
}  // namespace kinformer_mutation
static int notes = 0;
static void Note(int n) { notes += n; }
"""
CALLS = """
template <int (*f)(int, int, bool)>
static void Show() {
  for (int a = -2; a < 7; ++a)
    for (int b = -2; b < 7; ++b)
      for (int c = 0; c < 2; ++c) {
        notes = 0;
        const int result = f(a, b, c != 0);
        std::printf("%d,%d ", result, notes);
      }
  std::puts("");
}
"""


class Switches(unittest.TestCase):
    def test_operands_of_connectives(self):
        code = "x = f(a, b && c(d) || !e);"
        at = code.index(" && ")
        self.assertEqual(code[mutation_switch.left_begin(code, at):at], "b")
        self.assertEqual(code[at + 4:mutation_switch.right_end(code, at + 4, " && ")], "c(d)")
        at = code.index(" || ")
        self.assertEqual(code[mutation_switch.left_begin(code, at):at], "b && c(d)")
        self.assertEqual(code[at + 4:mutation_switch.right_end(code, at + 4, " || ")], "!e")

    def test_lines_stay_where_they_are(self):
        faults = dict(enumerate(mutation.mutants_of("a.cc", SOURCE)))
        text = mutation_switch.with_switches(SOURCE, faults)
        self.assertEqual(text.count("\n"), SOURCE.count("\n"))
        self.assertEqual([mutation_switch.switch(fault, mutation.masked(SOURCE), 0) is None
                          for fault in faults.values() if fault.rule == "connective"],
                         [False, False, True, False, False, False, True, False, False, False])
        self.assertIn("const int kOften = (kinformer_mutation::Reached(0) ? 24 : 12);", text)

    @unittest.skipIf(shutil.which("c++") is None, "no compiler")
    def test_a_switch_does_what_the_changed_text_does(self):
        code = mutation.masked(SOURCE)
        faults = [fault for fault in mutation.mutants_of("a.cc", SOURCE)
                  if mutation_switch.switch(fault, code, 0)]
        self.assertGreater(len(faults), 40)
        self.assertEqual({fault.rule for fault in faults},
                         {*mutation._SWAPS, "negation", "number", "statement"})
        variants = [SOURCE, *(fault.apply(SOURCE) for fault in faults)]
        text = PROGRAM + mutation_switch.with_switches(SOURCE, dict(enumerate(faults))) + CALLS
        for number, variant in enumerate(variants):
            text += f"namespace v{number} {{\n{variant}\n}}\n"
        text += "int main() {\n  Show<F>();\n"
        text += "".join(f"  Show<v{number}::F>();\n" for number in range(len(variants))) + "}\n"
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "a.cc"
            source.write_text(text)
            subprocess.run(["c++", "-std=c++20", "-w", "-O0", "-include",
                            mutation_switch.HERE / "mutation_switch.h", source, "-o",
                            source.with_suffix("")], check=True)
            for number in range(len(variants)):
                shown = subprocess.run(
                    [source.with_suffix("")], env={"MUTANT": str(number - 1)}, text=True,
                    capture_output=True, check=True, timeout=20).stdout.splitlines()
                self.assertEqual(shown[0], shown[1 + number], str([None, *faults][number]))


class Explanations(unittest.TestCase):
    def test_each_is_of_a_fault_that_there_is(self):
        self.assertEqual(mutate.without_fault(mutate.explanations()), [],
                         "these lines have changed: strike them from test/mutants.txt")


if __name__ == "__main__":
    unittest.main()
