#!/usr/bin/env python3
"""scripts/one-way: what it finds, and exceptions that are no longer needed."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "one-way"
loader = importlib.machinery.SourceFileLoader("one_way", str(SCRIPT))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("one_way", loader))
loader.exec_module(script)


class OneWay(unittest.TestCase):
    def findings(self, *files, rules=None):
        bare = [rule._replace(others={}) for rule in script.RULES]
        said = []
        count = script.check(rules or bare, files, said.append)
        self.assertEqual(count, len(said))
        return said

    def test_each_rule_finds_its_kind_and_names_the_line(self):
        for kind, text in (("numbers", "std::from_chars(a, b, c)"),
                           ("locales", "std::strtod(text, nullptr)"),
                           ("locales", 'std::snprintf(text, 40, "%.6g s", number)'),
                           ("locales", "std::to_string(std::chrono::duration<double>(d).count())"),
                           ("whole numbers", "std::stoul(text)"),
                           ("system errors", "std::strerror(errno)"),
                           ("sleeps", "std::this_thread::sleep_for(wait)"),
                           ("seeds", "std::random_device entropy"),
                           ("clocks", "std::chrono::steady_clock::now()")):
            said = self.findings(("src/a/a.cc", f"\n\n{text};\n"))
            self.assertEqual(len(said), 1, (kind, said))
            self.assertTrue(said[0].startswith(f"src/a/a.cc:3: {kind}: "), said)

    def test_similar_code_is_no_finding(self):
        for text in ("base::NumberIn<double>(text)", "std::to_string(count)", "env.SleepFor(wait)",
                     'std::snprintf(text, 40, "%d of %s", number, all)', "clock_.now()",
                     "std::to_chars(a, b, number)"):
            self.assertEqual(self.findings(("src/a/a.cc", text)), [])

    def test_exception_allows_its_file_alone(self):
        rule = script.Rule("numbers", "std::from_chars", "another way", {"src/a.cc": "needs more"})
        text = "std::from_chars(a, b, c)"
        self.assertEqual(self.findings(("src/a.cc", text), rules=[rule]), [])
        self.assertEqual(self.findings(("src/a.cc", text), ("src/b.cc", text), rules=[rule]),
                         ["src/b.cc:1: numbers: std::from_chars: another way"])

    def test_exception_that_nothing_needs_is_a_finding(self):
        rule = script.Rule("numbers", "std::from_chars", "another way", {"src/a.cc": "needs more"})
        self.assertEqual(self.findings(("src/a.cc", "int a;"), rules=[rule]),
                         ["scripts/one-way: numbers: src/a.cc needs no exception any more"])

    def test_tests_are_left_out(self):
        for name in ("src/a/a_test.cc", "src/a/a_for_test.h", "src/a/testing/a.cc"):
            self.assertTrue(script.TESTS.search(name), name)
        self.assertFalse(script.TESTS.search("src/a/a.cc"))


if __name__ == "__main__":
    unittest.main()
