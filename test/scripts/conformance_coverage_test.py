#!/usr/bin/env python3
"""scripts/conformance-coverage: what counts as a test of a case, and what does not."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
SCRIPT = (pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" /
          "conformance-coverage")
loader = importlib.machinery.SourceFileLoader("coverage", str(SCRIPT))
coverage = importlib.util.module_from_spec(importlib.util.spec_from_loader("coverage", loader))
loader.exec_module(coverage)


def cases(text):
    return sorted(set(coverage.cases_of_tests(text, {"R", "DF", "KC"})))


class ConformanceCoverageTest(unittest.TestCase):
    def test_names_of_tests(self):
        self.assertEqual(cases("TEST_F(A, R_40_to_R_42_Times) {"), ["R-40", "R-41", "R-42"])
        self.assertEqual(cases("TEST(A, KC18KC08TheFirst) {"), ["KC-08", "KC-18"])
        self.assertEqual(cases("TEST_P(A,\n       R_01_02_Two) {"), ["R-01", "R-02"])

    def test_names_of_rows(self):
        self.assertEqual(cases('Values(Row{"DF_31_R_30", 1},\n  Row{\n"R-01..03", 2}'),
                         ["DF-31", "R-01", "R-02", "R-03", "R-30"])
        self.assertEqual(cases('{"KC-13 user", "KC-14"},'), ["KC-13"])

    def test_what_is_no_test(self):
        text = '// TEST(A, R_01_No)\n/* {"R-02"} */ EXPECT(x) << "R-03"; f("R-04")'
        self.assertEqual(cases(text), [])
        self.assertEqual(cases("TEST(A, DISABLED_R_01_No) {"), [])

    def test_text_that_looks_like_a_comment(self):
        self.assertEqual(cases('f("https://s", \'"\', Row{"R-01", 1});'), ["R-01"])


if __name__ == "__main__":
    unittest.main()
