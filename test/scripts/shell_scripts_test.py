"""Shell scripts of the tests: the output of a command in the background is waited for. So it has
one writer, or it is empty before the command starts: the wait would find lines of another one."""

import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPTS = ("test/cli/*", "test/kubectl/*", "test/package/*", "test/clients/*", "test/peers/*",
           "test/realserver/*/run")
WRITES = re.compile(r'(?<!\d)>>?"(\$[^"]+)"')
BACKGROUND = re.compile(r"[^&]&$")


def findings(text):
    """Yields (line number, file) of each writer in the background that is not the only one."""
    # A command may take several lines.
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    writers = collections.Counter(name for line in lines for name in WRITES.findall(line))
    inside = False
    for number, line in enumerate(lines, 1):
        inside = (inside or line.endswith("() {")) and line != "}"
        before = "\n".join(lines[max(number - 7, 0):number - 1])
        if BACKGROUND.search(line):
            for name in WRITES.findall(line):
                emptied = f': >"{name}"' in before or "rm -" in before
                # One file for each call of a function has its argument in the name.
                shared = writers[name] > 1 or (inside and "$1" not in name)
                if shared and not emptied:
                    yield number, name


class ShellScripts(unittest.TestCase):
    def test_background_writers_have_files_of_their_own(self):
        paths = [path for pattern in SCRIPTS for path in ROOT.glob(pattern) if path.is_file()]
        scripts = {path: path.read_text() for path in paths if path.suffix in ("", ".sh")}
        scripts = {path: text for path, text in scripts.items() if text.startswith("#")}
        self.assertGreater(len(scripts), 10)
        found = [f"{path.relative_to(ROOT)}:{number}: {name}"
                 for path, text in scripts.items() for number, name in findings(text)]
        self.assertEqual(found, [], "empty the file first: `background` of test/cli/lib.sh does it")

    def test_second_writer_is_found(self):
        self.assertEqual(list(findings('a >"$t/log"\nb >"$t/log" 2>&1 &\n')), [(2, "$t/log")])

    def test_writer_in_a_function_is_found(self):
        self.assertEqual(list(findings('f() {\n  a >"$t/log" &\n}\n')), [(2, "$t/log")])

    def test_file_that_is_emptied_before_is_fine(self):
        self.assertEqual(list(findings('f() {\n  : >"$t/log"\n  a >"$t/log" &\n}\n')), [])

    def test_single_writer_is_fine(self):
        self.assertEqual(list(findings('a >"$t/one" &\nb >"$t/other" 2>&1 && c\n')), [])


if __name__ == "__main__":
    unittest.main()
