#!/usr/bin/env python3
"""scripts/rename: what it rewrites in a program's sources, and what it only names."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
loader = importlib.machinery.SourceFileLoader("rename", str(ROOT / "scripts" / "rename"))
rename = importlib.util.module_from_spec(importlib.util.spec_from_loader("rename", loader))
loader.exec_module(rename)

MOVED, NAMES, GONE = rename.read_table((ROOT / "scripts" / "renamed.txt").read_text())


class Rename(unittest.TestCase):
    def test_headers_are_included_from_their_new_places(self):
        self.assertEqual(
            rename.renamed('#include <map>\n#include "kinformer/list_watch.h"\n'
                           '# include <kinformer/enqueue.h>  // kinformer/enqueue.h\n'
                           '#include "kinformer/api/corev1.h"\n', MOVED),
            '#include <map>\n#include "kinformer/client/lister_watcher.h"\n'
            '# include <kinformer/controller/handler.h>  // kinformer/enqueue.h\n'
            '#include "kinformer/api/corev1.h"\n')

    def test_every_header_of_the_table_is_there_under_its_new_name_only(self):
        for old, new in MOVED.items():
            self.assertTrue((ROOT / "include/kinformer" / new).is_file(), new)
            if (ROOT / "include/kinformer" / old).is_file():
                # An umbrella header has the name: it includes the header that had it.
                self.assertIn(f'"kinformer/{new}"',
                              (ROOT / "include/kinformer" / old).read_text())

    def test_headers_of_names_that_have_moved_are_included(self):
        old = '#include <set>\n\n#include <kinformer/delta_fifo.h>  // queues\n#include <map>\n'
        new = ('#include <set>\n\n#include <kinformer/cache/delta_fifo.h>  // queues\n'
               '#include <kinformer/cache/real_fifo.h>\n#include <map>\n')
        for use in ("RealFIFO<Pod> queue;\n", "RealFIFO<Pod> a;\nRealFIFOOptions<Pod> b;\n"):
            self.assertEqual(rename.renamed(old + use, MOVED, NAMES), new + use)
            self.assertEqual(rename.renamed(new + use, MOVED, NAMES), new + use)
        for use in ("DeltaFIFO<Pod> queue;  // no RealFIFO\n", "RealFIFOs queue;\n"):
            self.assertEqual(rename.renamed(old + use, MOVED, NAMES),
                             old.replace("delta", "cache/delta") + use)
        self.assertEqual(rename.renamed("RealFIFO<Pod> queue;\n", MOVED, NAMES),
                         "RealFIFO<Pod> queue;\n")

    def test_every_name_that_has_moved_stands_in_its_new_header_only(self):
        headers = ROOT / "include/kinformer"
        for name, old, new in NAMES:
            declared = rf"(?:class|struct|using|Result<.*>|std::\S+|bool) {name}\b(?!;)"
            self.assertRegex((headers / new).read_text(), declared)
            self.assertNotRegex((headers / old).read_text(), declared)

    def test_names_that_are_gone_are_named_with_advice(self):
        found = list(rename.advice("int x;\nMutationCache cache;  // ListAll\n", GONE))
        self.assertEqual([place[:2] for place in found], [(2, "MutationCache")])
        self.assertIn("DelegatingClient", found[0][2])
        text = "corev1::Pod::type_info();\nconst std::type_info& of_a_class;\n"
        self.assertEqual(list(rename.advice(text, GONE)), [(1, "type_info", "kind_info()")])

    def test_folders_are_searched_for_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a").mkdir()
            for name in ("a/x.cc", "a/x.h", "a/x.txt"):
                (root / name).write_text('#include "kinformer/pod.h"\n')
            self.assertEqual([path.name for path in rename.sources([folder])], ["x.cc", "x.h"])


if __name__ == "__main__":
    unittest.main()
