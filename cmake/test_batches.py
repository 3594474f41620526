"""Which tests can be compiled as one source: run by kinformer_batch_tests (KinformerBuild.cmake).

  test_batches.py OUTPUT < LINES    a line for each program: its name and its tests, between tabs

Writes a CMake file that puts tests into UNITY_GROUPs. Tests share one if neither declares, at the
outermost level, a name that the other one or its private headers use: so none sees a helper of
another one. A test with macros of its own, or a #pragma, is compiled alone. The words are compared,
not what they mean, so some tests are kept apart that could be together.
"""

import functools
import os
import pathlib
import re
import sys

# A batch is compiled again after a change to one of its tests: a few seconds.
MOST_FILES, MOST_BYTES = 8, 60000
STRING = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
COMMENT = re.compile(r"//[^\n]*")
USING = re.compile(r"^using ((?:\w+::)+)(\w+);", re.MULTILINE)
CLASS = re.compile(r"^(?:template <.*> )?(?:class|struct|enum class|enum|union) (\w+)",
                   re.MULTILINE)
ALIAS = re.compile(r"^(?:using|namespace) (\w+) =", re.MULTILINE)
TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
MACRO = re.compile(r"^[A-Z][A-Z_0-9]+\(\s*(\w+)", re.MULTILINE)
# The name in front of the first bracket, brace, sign of equality or semicolon.
OTHER = re.compile(r"^(?!using |namespace |class |struct |enum |union |TEST)[A-Za-z_][^\n(={;\[]*?"
                   r"\b(\w+)\s*[(={;\[]", re.MULTILINE)
# Not members, and nothing whose scope is named.
FREE = re.compile(r"(?<![\w.])(?<!->)(?<!::)\w+")
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.MULTILINE)
# Where this namespace is known, `testing::` in the library's own namespace is not GoogleTest's.
OWN_TESTING = "namespace kinformer::testing"
PLAIN_TESTING = re.compile(r"(?<![\w:])testing::")

ROOT = pathlib.Path(__file__).resolve().parent.parent
PUBLIC = ROOT / "include"
FOLDERS = [ROOT / name for name in ("include", "src", "server", "test", "")]


@functools.cache
def headers(path):
    """The tree's headers that a file includes, and those that these include."""
    found = set()
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        candidates = (os.path.normpath(folder / name) for folder in (path.parent, *FOLDERS))
        header = next((pathlib.Path(c) for c in candidates if os.path.isfile(c)), None)
        if header is not None:
            found |= {header} | headers(header)
    return frozenset(found)


@functools.cache
def words(header):
    text = header.read_text(encoding="utf-8")
    return frozenset(FREE.findall(COMMENT.sub("", STRING.sub('""', text))))


@functools.cache
def declares_own_testing(header):
    return OWN_TESTING in header.read_text(encoding="utf-8")


class Source:
    def __init__(self, path):
        text = pathlib.Path(path).read_text(encoding="utf-8")
        self.path, self.size = path, len(text)
        self.alone = re.search(r"^\s*#\s*(?:define|undef|pragma)", text, re.MULTILINE) is not None
        text = COMMENT.sub("", STRING.sub('""', text))
        self.used = set(FREE.findall(text))
        self.borrowed = {name: space for space, name in USING.findall(text)}
        self.declared = set(self.borrowed)
        for pattern in (CLASS, ALIAS, OTHER):
            self.declared.update(pattern.findall(text))
        self.declared.update(MACRO.findall(TEST.sub("", text)))
        tests = {f"{suite}_{name}_Test" for suite, name in TEST.findall(text)}
        self.declared |= tests
        self.used |= self.declared
        self.headers = headers(pathlib.Path(path))
        self.own_testing = OWN_TESTING in text or any(map(declares_own_testing, self.headers))
        self.plain_testing = not self.own_testing and PLAIN_TESTING.search(text) is not None

    def can_join(self, other):
        if (self.own_testing and other.plain_testing) or (self.plain_testing and other.own_testing):
            return False
        if self.hides_from(other) or other.hides_from(self):
            return False
        both = (self.declared & other.used) | (other.declared & self.used)
        return all(self.borrowed.get(name, 1) == other.borrowed.get(name, 2) for name in both)

    def hides_from(self, other):
        """Whether a private header that only the other one includes would find a name of this."""
        return any(not self.declared.isdisjoint(words(header))
                   for header in other.headers - self.headers if not header.is_relative_to(PUBLIC))


def batches(sources):
    found = []
    for source in sources:
        for batch in found:
            if (not source.alone and not batch[0].alone and len(batch) < MOST_FILES and
                    sum(s.size for s in batch) + source.size <= MOST_BYTES and
                    all(source.can_join(s) for s in batch)):
                batch.append(source)
                break
        else:
            found.append([source])
    return found


def main():
    programs = [line.rstrip("\n").split("\t") for line in sys.stdin]
    paths = [path for _, *paths in programs for path in paths]
    known = {path: Source(path) for path in set(paths) if paths.count(path) == 1}
    lines = []
    for program, *tests in programs:
        for number, batch in enumerate(batches([known[t] for t in tests if t in known])):
            if len(batch) > 1:
                names = " ".join(f'"{source.path}"' for source in batch)
                lines.append(f"set_source_files_properties({names} TARGET_DIRECTORY {program} "
                             f"PROPERTIES UNITY_GROUP {number})\n")
    pathlib.Path(sys.argv[1]).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
