"""Which sources can be compiled as one: run by kinformer_make_batches (KinformerBuild.cmake).

  batches.py FOLDER < LINES
  batches.py --join FOLDER      writes the batches of tests; the build runs this

A line for each program or library, with tabs between: its name, `tests` or `library`, the options
that its batches are compiled with (with semicolons), and its sources. Writes the batches of
libraries below FOLDER, sources that only include others, and FOLDER/batches.cmake, which calls
kinformer_batch for each. FOLDER/joined.txt has the batches of tests: their files and sources.

Sources of a library share a batch if neither declares, at the outermost level, a name that the
other one or its private headers use: so none sees a helper of another one. The words are compared,
not what they mean, so some sources are kept apart that could be together.

Tests share one whatever they declare, for a batch of tests is no list of includes. It has the
headers of all of them, and then the text of each, whose unnamed namespace stands in a namespace of
its own: so none sees a name of another one. A test that declares something outside of its unnamed
namespace is compiled alone.

A source with macros of its own, or a #pragma, is compiled alone. So is one in which test/planted
plants bugs: its object must be left out of an archive without others.
"""

import collections
import functools
import os
import pathlib
import re
import sys

# The most files and bytes of a batch. It is compiled again after a change to one of its sources:
# that takes a few seconds.
MOST = {"tests": (20, 130000), "library": (16, 200000)}
STRING = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
COMMENT = re.compile(r"//[^\n]*")
USING = re.compile(r"^using ((?:\w+::)+)(\w+);", re.MULTILINE)
CLASS = re.compile(r"^(?:template <.*> )?(?:class|struct|enum class|enum|union) (\w+)",
                   re.MULTILINE)
ALIAS = re.compile(r"^(?:using|namespace) (\w+) =", re.MULTILINE)
MACRO = re.compile(r"^[A-Z][A-Z_0-9]+\(\s*(\w+)", re.MULTILINE)
# The name in front of the first bracket, brace, sign of equality or semicolon; not a member's.
OTHER = re.compile(r"^(?!using |namespace |class |struct |enum |union )[A-Za-z_][^\n(={;\[]*?"
                   r"(?<![:\w])(\w+)\s*[(={;\[]", re.MULTILINE)
# Not members, and nothing whose scope is named.
FREE = re.compile(r"(?<![\w.])(?<!->)(?<!::)\w+")
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.MULTILINE)
# Where this namespace is known, `testing::` in the library's own namespace is not GoogleTest's.
OWN_TESTING = "namespace kinformer::testing"
PLAIN_TESTING = re.compile(r"(?<![\w:])testing::")

ROOT = pathlib.Path(__file__).resolve().parent.parent
PUBLIC = ROOT / "include"
FOLDERS = [ROOT / name for name in ("include", "src", "server", "test", "")]
# The lines between which a test has all that it declares.
OPEN, CLOSE = "namespace {", "}  // namespace"
FRAME = re.compile(r"(?:|//.*|#include .*|namespace [\w:]+ \{|\}  // namespace [\w:]+)")
PLANTED = re.compile(r"^--- (\S+)", re.MULTILINE)


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


def is_framed(lines):
    """Whether all that a source declares is in one unnamed namespace."""
    if lines.count(OPEN) != 1 or lines.count(CLOSE) != 1:
        return False
    first, last = lines.index(OPEN), lines.index(CLOSE)
    return all(FRAME.fullmatch(line) for line in lines[:first] + lines[last + 1:])


class Source:
    def __init__(self, path):
        text = pathlib.Path(path).read_text(encoding="utf-8")
        self.path, self.size = path, len(text)
        self.alone = re.search(r"^\s*#\s*(?:define|undef|pragma)", text, re.MULTILINE) is not None
        self.framed = is_framed(text.splitlines())
        text = COMMENT.sub("", STRING.sub('""', text))
        self.used = set(FREE.findall(text))
        self.borrowed = {name: space for space, name in USING.findall(text)}
        self.declared = set(self.borrowed)
        for pattern in (CLASS, ALIAS, OTHER):
            self.declared.update(pattern.findall(text))
        self.declared.update(MACRO.findall(text))
        self.used |= self.declared
        self.headers = headers(pathlib.Path(path))
        # What a header of its own names is what that header declares, most likely.
        self.hidden = self.declared - frozenset().union(*map(words, self.headers))
        self.own_testing = OWN_TESTING in text or any(map(declares_own_testing, self.headers))
        self.plain_testing = not self.own_testing and PLAIN_TESTING.search(text) is not None

    def can_join(self, other, kind):
        if (self.own_testing and other.plain_testing) or (self.plain_testing and other.own_testing):
            return False
        if kind == "tests":
            return self.framed and other.framed
        if self.hides_from(other) or other.hides_from(self):
            return False
        both = (self.hidden & other.used) | (other.hidden & self.used) | (
            self.declared & other.declared)
        return all(self.borrowed.get(name, 1) == other.borrowed.get(name, 2) for name in both)

    def hides_from(self, other):
        """Whether a private header that only the other one includes would find a name of this."""
        return any(not self.hidden.isdisjoint(words(header))
                   for header in other.headers - self.headers if not header.is_relative_to(PUBLIC))


def batches(sources, kind):
    most_files, most_bytes = MOST[kind]
    found = []
    for source in sources:
        for batch in found:
            if (not source.alone and not batch[0].alone and len(batch) < most_files and
                    sum(s.size for s in batch) + source.size <= most_bytes and
                    all(source.can_join(s, kind) for s in batch)):
                batch.append(source)
                break
        else:
            found.append([source])
    return [batch for batch in found if len(batch) > 1]


def planted():
    """The sources in which test/planted plants bugs."""
    return {str(ROOT / name) for edits in (ROOT / "test/planted").glob("*.edits")
            for name in PLANTED.findall(edits.read_text(encoding="utf-8"))}


def write(path, text):
    """A batch that stays the same is not compiled again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def joined(sources, start):
    """The text of a batch of tests. Messages of tests name sources as they are seen from `start`,
    the build folder: so the text is the same in each clone, and ccache knows it."""
    includes, texts = [], []
    for number, source in enumerate(sources, 1):
        lines = pathlib.Path(source).read_text(encoding="utf-8").splitlines()
        first, last = lines.index(OPEN), lines.index(CLOSE)
        for at, line in enumerate(lines[:first]):
            if line.startswith("#include"):
                if line not in includes:
                    includes.append(line)
                lines[at] = ""
        lines[first] = f"namespace batch_{number} {{ {OPEN}"
        lines[last] = "} " + lines[last]
        texts += [f'#line 1 "{os.path.relpath(source, start)}"', *lines]
    return "\n".join([*includes, *texts]) + "\n"


def main():
    if sys.argv[1] == "--join":
        folder = pathlib.Path(sys.argv[2])
        for group in (folder / "joined.txt").read_text(encoding="utf-8").splitlines():
            batch, *sources = group.split("\t")
            write(pathlib.Path(batch), joined(sources, folder.parent))
        return
    folder = pathlib.Path(sys.argv[1])
    groups = [line.rstrip("\n").split("\t") for line in sys.stdin]
    paths = [path for _, _, _, *paths in groups for path in paths]
    twice = {path for path, times in collections.Counter(paths).items() if times > 1}
    known = {path: Source(path) for path in set(paths) - twice - planted()}
    calls, tests = [], []
    made = collections.Counter()
    for target, kind, options, *sources in groups:
        for batch in batches([known[s] for s in sources if s in known], kind):
            made[target] += 1
            path = folder / target / f"batch_{made[target]}.cc"
            if kind == "library":
                write(path, "".join(f'#include "{source.path}"\n' for source in batch))
            else:
                tests.append("\t".join([str(path), *(source.path for source in batch)]) + "\n")
            names = " ".join(f'"{source.path}"' for source in batch)
            calls.append(f'kinformer_batch({target} "{options}" "{path}" {names})\n')
    write(folder / "joined.txt", "".join(tests))
    write(folder / "batches.cmake", "".join(calls))


if __name__ == "__main__":
    main()
