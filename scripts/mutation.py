"""Faults that are planted by rule in C++ sources, and how each is told from the others.

Read by scripts/mutate, which builds and runs the tests against them.
"""

import re


class Mutant:
    """One fault: `before` in a line of a file becomes `after`."""

    def __init__(self, path, rule, start, before, after, text, code):
        """`code`: the text without its comments (masked), at the same places."""
        self.path, self.rule, self.start, self.before, self.after = path, rule, start, before, after
        self.line = text.count("\n", 0, start) + 1
        first = text.rfind("\n", 0, start) + 1
        last = (text + "\n").find("\n", start)
        last = first + len((code + "\n")[first:last].rstrip())
        self.code = text[first:last].strip()
        column = start - first
        self.changed = (text[first:start] + after + text[start + len(before):last]).strip()
        self.column = column + 1

    def apply(self, text):
        return text[:self.start] + self.after + text[self.start + len(self.before):]

    def key(self):
        """What an explanation names: it holds while the line stays as it is, comments apart."""
        return (self.path, self.code, self.changed)

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}\n  - {self.code}\n  + {self.changed}"


_HIDDEN = re.compile(
    r"""//[^\n]*                      # comments
      | /\*.*?\*/
      | R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"   # texts
      | "(?:\\.|[^"\\\n])*"
      | (?<![\w'])'(?:\\.|[^'\\\n])+'
      | ^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*       # directives
    """, re.DOTALL | re.MULTILINE | re.VERBOSE)


def masked(text):
    """The text with comments, texts and directives as underscores and blanks, at their places."""
    def hide(match):
        found = match.group(0)
        mark = "_" if found[0] in "\"'R" else " "
        return re.sub(r"[^\n]", mark, found)
    return _HIDDEN.sub(hide, text)


# Lines that declare rather than do: what is changed there does not compile, or changes nothing.
_DECLARES = re.compile(
    r"^\s*(template\b|using\b|typedef\b|static_assert\b|namespace\b|class\b|struct\b|enum\b"
    r"|friend\b"
    r"|public:|private:|protected:|case\b|default:|\[\[nodiscard\]\]|KINFORMER_|requires\b)")

_SWAPS = {
    "comparison": {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ",
                   " != ": " == "},
    "connective": {" && ": " || ", " || ": " && "},
    "sum": {" + ": " - ", " - ": " + ", " += ": " -= ", " -= ": " += "},
    "step": {"++": "--", "--": "++"},
    "truth": {"true": "false", "false": "true"},
    "bound": {"std::min": "std::max", "std::max": "std::min"},
}

_STATEMENT = re.compile(
    r"^(?P<blank>[ ]+)(?P<code>"
    r"(?:if \([^\n]*\) )?(?:"
    r"[\w.:]*\w_? ?(?:->|\.)?[\w.:>\-\[\]()]*\([^\n;]*\)"         # a call
    r"|\*?[\w.\[\]>\-]*(?:_|\.\w+|>\w+) (?:[-+|&]?=) [^\n;]+"     # to a member
    r"|(?:(?:co_)?return|continue)(?: [^\n;]*)?"                   # only behind an if
    r"));$", re.MULTILINE)

# Calls that only save time: room for what will come, prefetching, what the compiler is told.
_HINT = re.compile(r"^\s*[\w.>\-()\[\]]*?(?:\b[rR]eserve|\bExpect|\bExpectFrom|\basm)\(")
# The declaration of a function or of a variable with arguments, which looks like a call.
_DECLARATION = re.compile(r"(?!if |return\b|co_)[\w:]+(?:<[^()]*>)? \w+\(")


def _is_whole(statement):
    """Not only the end of one that began in another line."""
    depth = 0
    for sign in re.sub("[^()]", "", statement):
        depth += 1 if sign == "(" else -1
        if depth < 0:
            return False
    return depth == 0


def _begins(code, start):
    """Whether a statement begins there, rather than goes on: `x =` may stand in the line before."""
    before = code[:start].rstrip()
    return not before or before[-1] in ";{}):" or before.endswith("else")


_NOT = re.compile(r"(?<=[( ])!(?=[\w(])")
_NUMBER = re.compile(r"(?<![\w.'])(\d+)(?![\w.'])")
_PURE = re.compile(r"(?:\)|const|noexcept) = \Z")
_WORDS = re.compile(r"\b(true|false)\b|std::(?:min|max)\b")


def mutants_of(path, text):
    """All faults that the rules plant in a file, in the order of their places."""
    code = masked(text)
    found = []

    def add(rule, start, before, after):
        first = code.rfind("\n", 0, start) + 1
        last = code.find("\n", start)
        line = code[first:last if last >= 0 else len(code)]
        if not _DECLARES.match(line) and not _HINT.match(line):
            found.append(Mutant(path, rule, start, before, after, text, code))

    for rule, swaps in _SWAPS.items():
        pattern = _WORDS if rule in ("truth", "bound") else re.compile(
            "|".join(re.escape(word) for word in sorted(swaps, key=len, reverse=True)))
        for match in pattern.finditer(code):
            of_texts = '"' in (text[match.start() - 1], text[match.end():match.end() + 1])
            if rule == "sum" and of_texts:
                continue
            if match.group(0) in swaps:
                add(rule, match.start(), match.group(0), swaps[match.group(0)])
    for match in _NOT.finditer(code):
        add("negation", match.start(), "!", "")
    for match in _NUMBER.finditer(code):
        if _PURE.search(code[max(0, match.start() - 12):match.start()]):
            continue
        # One more of many is often as good.
        value = int(match.group(1))
        add("number", match.start(), match.group(1), str(value + 1 if value < 10 else 2 * value))
    for match in _STATEMENT.finditer(code):
        statement = match.group("code")
        if (statement.startswith(("return", "co_return")) or _DECLARATION.match(statement)
                or not _is_whole(statement) or not _begins(code, match.start("code"))):
            continue
        start, end = match.start("code"), match.end()
        add("statement", start, text[start:end], "static_cast<void>(0);")
    return sorted(found, key=lambda mutant: (mutant.start, mutant.rule))
