#!/usr/bin/env python3
"""scripts/layers on a small made-up tree: what holds is silent, each breach is found by itself."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "layers"
loader = importlib.machinery.SourceFileLoader("layers", str(SCRIPT))
layers = importlib.util.module_from_spec(importlib.util.spec_from_loader("layers", loader))
loader.exec_module(layers)

# Two rooms of one folder on a base, and a command above them.
TREE = {
    "cmake/KinformerBuild.cmake":
        "set(KINFORMER_LAYERS base # lowest\n house/cellar house/attic house)",
    "src/base/CMakeLists.txt": "kinformer_layer(base SOURCES a.cc OFFERS a.h PUBLIC error.h)",
    "src/base/a.h": '#include "kinformer/error.h"\n#include <string>\n',
    "src/base/a.cc": '#include "base/a.h"\n#include "base/hidden.h"\n',
    "src/base/hidden.h": "",
    "src/house/CMakeLists.txt": "kinformer_group(house house/cellar house/attic)",
    "src/house/house_test.cc": '#include "house/cellar/wine.h"\n#include "house/attic/box.h"\n',
    "src/house/cellar/CMakeLists.txt":
        "kinformer_layer(house/cellar SOURCES wine.cc\n  OFFERS shelf.h gen_*.h DEPS base)",
    "src/house/cellar/wine.h": '#include "base/a.h"\n',
    "src/house/cellar/shelf.h": "",
    "src/house/attic/CMakeLists.txt":
        "kinformer_layer(house/attic\n OFFERS box.h\n PUBLIC house.h\n DEPS base house/cellar)",
    "src/house/attic/box.h": '#include "house/cellar/shelf.h"\n#include "house/cellar/gen_a.h"\n',
    "src/house/attic/testing/fixture.h": '#include "base/a.h"\n',
    "src/house/attic/box_test.cc": '#include "house/attic/testing/fixture.h"\n',
    "include/kinformer/error.h": "#include <string>\n",
    "include/kinformer/house.h": '#include "kinformer/error.h"\n',
    "include/kinformer/internal/.keep": "",
    "cli/CMakeLists.txt": "kinformer_part(cli MAY_INCLUDE house/attic)",
    "cli/main.cc": '#include "house/attic/box.h"\n#include "kinformer/house.h"\n',
    "fuzz/CMakeLists.txt": "kinformer_part(fuzz PRIVATE_OF base)",
    "fuzz/a.cc": '#include "base/hidden.h"\n',
    "examples/one.cc": '#include "kinformer/house.h"\n',
}


class LayersTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def findings(self, changes=None):
        root = pathlib.Path(self.folder.name)
        for path, text in {**TREE, **(changes or {})}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return layers.check(layers.Tree(root))

    def expect(self, changes, path, line, words):
        found = self.findings(changes)
        self.assertEqual([(path, line)], [finding[:2] for finding in found], found)
        self.assertIn(words, found[0][2])

    def test_what_holds_is_silent(self):
        self.assertEqual([], self.findings())

    def test_upwards(self):
        self.expect({"src/house/cellar/wine.h":
                     '#include "base/a.h"\n\n#include "house/attic/box.h"\n'},
                    "src/house/cellar/wine.h", 3, "house/attic, which stands above it")

    def test_upwards_by_way_of_a_public_header(self):
        self.expect({"src/base/hidden.h": '#include "kinformer/house.h"\n'},
                    "src/base/hidden.h", 1, "which stands above it")

    def test_public_header_upwards(self):
        found = self.findings({"include/kinformer/error.h": '#include "kinformer/house.h"\n'})
        self.assertEqual(["which stands above it", "includes itself"],
                         [words for words in ("which stands above it", "includes itself")
                          if any(words in message for _, _, message in found)])

    def test_not_offered(self):
        self.expect({"src/house/attic/box.h":
                     TREE["src/house/attic/box.h"] + '#include "house/cellar/wine.h"\n'},
                    "src/house/attic/box.h", 3, "private to house/cellar")

    def test_a_test_of_another_folder_sees_what_is_offered_only(self):
        self.expect({"src/house/cellar/wine_test.cc": '#include "base/hidden.h"\n'},
                    "src/house/cellar/wine_test.cc", 1, "private to base")

    def test_a_helper_of_tests_is_for_tests(self):
        self.expect({"src/house/attic/chest.cc": '#include "base/testing/clock.h"\n',
                     "src/base/testing/clock.h": ""},
                    "src/house/attic/chest.cc", 1, "test's helper")

    def test_missing_dep(self):
        self.expect({"src/house/attic/CMakeLists.txt":
                     "kinformer_layer(house/attic OFFERS box.h PUBLIC house.h DEPS base)"},
                    "src/house/attic/box.h", 1, "add house/cellar to DEPS")

    def test_superfluous_dep(self):
        self.expect({"include/kinformer/house.h": ""},
                    "src/house/attic/CMakeLists.txt", 1, "strike it from DEPS")

    def test_a_group_stands_for_its_rooms(self):
        self.assertEqual([], self.findings({
            "cmake/KinformerBuild.cmake":
                "set(KINFORMER_LAYERS base house/cellar house/attic house top)",
            "src/top/CMakeLists.txt": "kinformer_layer(top DEPS house)",
            "src/top/top.cc": '#include "house/attic/box.h"\n'}))

    def test_circle(self):
        self.expect({"src/base/hidden.h": '#include "base/other.h"\n',
                     "src/base/other.h": '#include "base/hidden.h"\n',
                     "test/circles.txt": "base hidden other\n"},
                    "src/base/hidden.h", 1, "includes itself, src/base/hidden.h")

    def test_circle_of_headers_and_their_sources(self):
        circle = {"src/base/hidden.h": '#include "base/a.h"\n'}  # which a.cc includes
        self.expect(circle, "src/base/a.h", 1, "by way of its folder, base a hidden: move")
        known = "# old\nbase a hidden\n"
        self.assertEqual([], self.findings({**circle, "test/circles.txt": known}))

    def test_circle_that_has_grown(self):
        self.expect({"src/base/hidden.h": '#include "base/third.h"\n',
                     "src/base/third.h": '#include "base/a.h"\n',
                     "test/circles.txt": "base a hidden third\nbase a hidden\n"},
                    "test/circles.txt", 2, "is no circle any more")

    def test_public_header_includes_a_private_one(self):
        self.expect({"include/kinformer/house.h":
                     TREE["include/kinformer/house.h"] + '#include "house/attic/box.h"\n'},
                    "include/kinformer/house.h", 2, "not installed")

    def test_public_header_includes_another_library(self):
        self.expect({"include/kinformer/error.h": "#include <boost/asio.hpp>\n"},
                    "include/kinformer/error.h", 1, "standard library")

    def test_public_header_of_nobody(self):
        self.expect({"include/kinformer/new.h": ""}, "include/kinformer/new.h", 1, "no layer")

    def test_offered_but_not_used(self):
        self.expect({"cli/main.cc": ""}, "src/house/attic/CMakeLists.txt", 1, "box.h")

    def test_offered_but_not_there(self):
        found = self.findings({"src/base/CMakeLists.txt":
                               "kinformer_layer(base OFFERS a.h gone.h PUBLIC error.h)"})
        self.assertEqual(["src/base/CMakeLists.txt"] * 2, [path for path, _, _ in found])

    def test_folder_outside_of_src(self):
        self.expect({"cli/main.cc": TREE["cli/main.cc"] + '#include "house/cellar/shelf.h"\n'},
                    "cli/main.cc", 3, "may not include")

    def test_private_header_outside_of_src(self):
        self.expect({"cli/CMakeLists.txt": "kinformer_part(cli MAY_INCLUDE house/attic base)",
                     "cli/other.cc": '#include "base/hidden.h"\n'},
                    "cli/other.cc", 1, "private to base")

    def test_example(self):
        self.expect({"examples/two.cc": '#include "base/a.h"\n'},
                    "examples/two.cc", 1, "not for users")

    def test_layer_without_a_place(self):
        found = self.findings({"src/new/CMakeLists.txt": "kinformer_layer(new SOURCES a.cc)"})
        self.assertEqual("src/new/CMakeLists.txt", found[0][0])

    def test_file_in_no_layer(self):
        self.expect({"src/lost/a.h": ""}, "src/lost/a.h", 1, "stands in no layer")

    def test_drawing(self):
        page = f"# How\n\n{layers.BEGIN}\n{layers.END}\nMore.\n"
        self.expect({layers.PAGE: page}, layers.PAGE, 3, "scripts/layers --diagram")
        drawn = layers.with_diagram(layers.Tree(self.folder.name), page)
        self.assertIn("  house_attic_ --> house_cellar_\n", drawn)
        self.assertNotIn("house_attic_ --> base_", drawn)
        self.assertEqual([], self.findings({layers.PAGE: drawn}))


if __name__ == "__main__":
    unittest.main()
