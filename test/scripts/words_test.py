#!/usr/bin/env python3
"""Tests of scripts/words: what it counts, and what it says of the numbers."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "words"
loader = importlib.machinery.SourceFileLoader("words", str(SCRIPT))
words = importlib.util.module_from_spec(importlib.util.spec_from_loader("words", loader))
loader.exec_module(words)


def kinds(text):
    return [(finding.line, finding.kind) for finding in words.of_file("a.cc", text)]


class Comments(unittest.TestCase):
    def test_a_headless_opening_is_counted_once_for_a_run_of_lines(self):
        self.assertEqual(kinds("// Of what is there.\n// What else.\nint x;\n// Stops it.\n"),
                         [(1, "comments")])

    def test_each_paragraph_of_a_comment_has_an_opening(self):
        self.assertEqual(kinds("// a/b.h\n//\n// What it says.\n//\n// Adds one.\n"),
                         [(3, "comments")])

    def test_a_comment_behind_code_is_one_of_its_own(self):
        self.assertEqual(kinds("int x;  // Who asks.\nint y;  // Those that wait.\n"),
                         [(1, "comments"), (2, "comments")])

    def test_a_question_is_none(self):
        self.assertEqual(kinds("// Who decides?\n// What then?  Nobody knows.\n"), [])

    def test_a_word_that_only_begins_so_is_none(self):
        self.assertEqual(kinds("// Offers a lease.\n// Thatcher.\n"), [])

    def test_a_text_with_slashes_is_no_comment(self):
        self.assertEqual(kinds('f("http://Of.example", "\\"// Of");\nreturn a / b;\n'), [])


class Names(unittest.TestCase):
    def test_headless_names_and_those_with_the_id_in_front(self):
        self.assertEqual(
            kinds("TEST(Queue, WhatIsAdded_IsGiven) {}\n"
                  "TEST_F(Queue, WQ09_14_Add_WakesOne) {}\n"
                  "TEST_P(Queue, RR17ItWaits) {}\n"
                  "TEST(Queue, Add_WhileShutDown_IsIgnored_WQ09) {}\n"),
            [(1, "test_names"), (2, "ids_in_front"), (3, "ids_in_front"), (3, "test_names")])

    def test_a_noun_that_begins_so_is_none(self):
        self.assertEqual(kinds("TEST(Queue, Items_Wait) {}\nTEST(Queue, Offer_Ends) {}\n"), [])


class Numbers(unittest.TestCase):
    def setUp(self):
        self.found = list(words.of_file("a.cc", "// Of x.\nint a;\n// What y.\n"))

    def test_more_than_allowed_is_wrong(self):
        self.assertEqual(len(list(words.complaints(self.found, {"comments": 1}))), 1)

    def test_fewer_must_be_written_down(self):
        complaint, = words.complaints(self.found, {"comments": 3})
        self.assertIn("write it into test/words.txt", complaint)

    def test_the_number_itself_is_right(self):
        self.assertEqual(list(words.complaints(self.found, {"comments": 2})), [])

    def test_allowances_are_read_with_remarks(self):
        self.assertEqual(words.allowed("# why\ncomments 3  # so many\n\n"), {"comments": 3})


if __name__ == "__main__":
    unittest.main()
