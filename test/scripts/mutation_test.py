#!/usr/bin/env python3
"""scripts/mutation.py on pieces of C++: which faults are planted where, and where none are."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import mutation  # noqa: E402


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

    def test_what_only_says_something_is_left_alone(self):
        self.assertEqual(changed('// a < b, 1\n/* true\n 2 */ "x < 3 \\" 4" R"(5 && 6)" \'7\''), [])
        self.assertEqual(changed("#if A < 2\n#define B 3 \\\n  + 4\n#endif"), [])
        self.assertEqual(changed("template <int N = 3>\nusing A = B<4>;"), [])

    def test_place(self):
        text = "int a;\n  a = b == c;  // 1 == 2\n"
        mutant, = mutation.mutants_of("a.cc", text)
        self.assertEqual((mutant.line, mutant.column), (2, 8))
        self.assertEqual(mutant.apply(text), "int a;\n  a = b != c;  // 1 == 2\n")
        self.assertEqual(mutant.key(), ("a.cc", "a = b == c;  // 1 == 2", "a = b != c;  // 1 == 2"))


if __name__ == "__main__":
    unittest.main()
