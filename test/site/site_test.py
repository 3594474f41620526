"""The scripts of packaging/site that need nothing but Python."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "packaging/site"))
sys.path.insert(0, str(ROOT / "scripts"))
import check  # noqa: E402
import figures  # noqa: E402
import front  # noqa: E402
import options  # noqa: E402
import pipeline  # noqa: E402
import recordings  # noqa: E402
import reference  # noqa: E402
import stage  # noqa: E402
import terminal_svg  # noqa: E402


class Markdown(unittest.TestCase):
    def test_list_ends_the_paragraph_before_it(self):
        self.assertEqual(stage.markdown("Words:\n- one\n- two\n", "x.md"),
                         "Words:\n\n- one\n- two\n")

    def test_what_is_below_an_item_stands_four_columns_in(self):
        self.assertEqual(stage.markdown("1. one\n   - below\n\nWords\n", "x.md"),
                         "1. one\n    - below\n\nWords\n")

    def test_pages_that_are_named_become_links(self):
        self.assertEqual(stage.markdown("See `docs/guide/tuning.md`.\n", "guide/errors.md"),
                         "See [`docs/guide/tuning.md`](tuning.md).\n")

    def test_code_stays_as_it_is(self):
        code = "```sh\n- `docs/guide/tuning.md`\n```\n"
        self.assertEqual(stage.markdown(code, "x.md"), code)

    def test_link_out_of_the_documents_leads_to_its_page(self):
        self.assertEqual(stage.repaired("[x](../README.md#a)", "docs/guide/y.md", "guide/y.md"),
                         "[x](../contents.md#a)")

    def test_link_to_no_page_is_refused(self):
        with self.assertRaises(LookupError):
            stage.repaired("[x](../../src/y.md)", "docs/guide/y.md", "guide/y.md")


class Check(unittest.TestCase):
    def findings(self, **pages):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in pages.items():
                pathlib.Path(folder, f"{name}.html").write_text(text)
            return list(check.findings(pathlib.Path(folder).resolve()))

    def test_links_and_anchors_that_are_there(self):
        self.assertEqual(self.findings(a='<a href="b.html#x">', b='<p id="x">'), [])

    def test_link_that_leads_nowhere(self):
        self.assertEqual(self.findings(a='<a href="b.html">'),
                         ["a.html: the link b.html leads nowhere"])

    def test_anchor_that_is_missing(self):
        self.assertEqual(self.findings(a='<a href="#y">'),
                         ["a.html: #y: the page has no such anchor"])

    def test_loads_from_another_server(self):
        for text in ('<script src="https://a.example/x.js"></script>',
                     '<link rel="stylesheet" href="//a.example/x.css">',
                     '<style>@import "https://a.example/x.css"</style>',
                     '<p style="background: url(https://a.example/x.png)">'):
            self.assertEqual(len(self.findings(a=text)), 1, text)

    def test_link_to_another_site_is_no_request(self):
        self.assertEqual(self.findings(a='<a href="https://a.example/">'), [])


class Figures(unittest.TestCase):
    TEXT = "## One\n\n| | now |\n|---|---|\n| row | 5 KB |\n\n## Two\n"

    def test_cell_is_found_by_heading_row_and_column(self):
        self.assertEqual(figures.figure(self.TEXT, "One", "row", "now", r"(\d+) KB"), "5")

    def test_what_is_not_there_is_named(self):
        with self.assertRaisesRegex(LookupError, "no table has the row other with now"):
            figures.figure(self.TEXT, "One", "other", "now", r"(\d+)")


class Options(unittest.TestCase):
    def test_member_that_the_header_lacks_is_found(self):
        asked = [{"question": "q", "answers": [
            {"answer": "a", "options": [], "why": ""},
            {"answer": "b", "why": "",
             "options": [{"where": "informer", "member": "none", "value": "1"}]}]}]
        self.assertEqual(len(list(options.check(asked, {"informer": ["name"], "handler": []}))), 1)

    def test_members_are_those_of_the_header_in_order(self):
        members = options.members("InformerOptions")
        self.assertEqual(members[:2] + members[-1:], ["indexers", "name", "absent_is_empty"])


class Drawings(unittest.TestCase):
    def test_room_that_the_code_lacks_is_found(self):
        rooms = pipeline.Rooms()
        rooms.tree.order.remove("cache/deltas")
        self.assertEqual(len(list(pipeline.check(rooms))), 1)

    def test_line_of_several_screens_is_drawn_once(self):
        line = ((0, "abc", "green", False, "default"),)
        drawn = terminal_svg.drawn([(0, (line, ())), (1, (line, line))], 10, 2, "t")
        self.assertEqual((drawn.count("abc"), drawn.count("<use")), (1, 3))

    def test_recordings_have_names_and_steps(self):
        found = recordings.scripts()
        self.assertGreater(len(found), 1)
        self.assertTrue(all(steps for *_, steps in found))


class Pages(unittest.TestCase):
    def test_front_page_has_program_and_figures_of_their_sources(self):
        page = front.page([("5", "KB", "words")], "<svg/>")
        self.assertIn("<strong>5 KB</strong>", page)
        self.assertIn("int main() {", page)

    def test_declarations_are_written_as_in_headers(self):
        self.assertEqual(reference.tidy("Result< Ref< T > > Get(const Key &key={}) const"),
                         "Result<Ref<T>> Get(const Key& key = {}) const")


if __name__ == "__main__":
    unittest.main()
