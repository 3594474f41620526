"""What the public headers declare: names in namespaces, and the public members of classes.

Read by scripts/parity. A name is qualified without the namespace kinformer: clientcmd::Load,
testing::Fake::AddReactor, DeltaType::kAdded. A function that only explains a mistake to the
compiler's user (its body never holds) is not declared. The build generates the headers api/*.h; the
lists in schema/ say which kinds are in them.
"""

import re

TOP = "include/kinformer"
TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|[^\s\w]")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*$")
ACCESS = ("public", "private", "protected")
TYPES = ("class", "struct", "union", "enum")
OTHERS = ("friend", "static_assert", "extern", "return")
EXPLAINS = ("kNeverHolds", "ExplainFactoryOptions")
PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}


def tokens(text):
    # A text such as "https://x" is no comment.
    text = re.sub(r"(?<!:)//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", " ", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    return TOKEN.findall(text)


def closing(words, at):
    """The index of what closes words[at]. Within angles, parentheses are passed as a whole."""
    opens, closes = words[at], PAIRS[words[at]]
    depth, i = 0, at
    while i < len(words):
        if opens == "<" and words[i] in "({":
            i = closing(words, i)
        depth += (words[i] == opens) - (words[i] == closes)
        if depth == 0:
            return i
        i += 1
    return len(words) - 1


class Class:
    """A class, struct or enumeration, in one or several places."""

    def __init__(self):
        self.members, self.bases = set(), []


class Declarations:
    """`names` has the headers of each name in a namespace, `classes` the classes."""

    def __init__(self, root):
        self.names, self.classes, self.aliases = {}, {}, {}
        top = root / TOP
        for path in sorted(top.rglob("*.h")):
            header = path.relative_to(top).as_posix()
            if not header.startswith("api/"):
                Reader(self, header, tokens(path.read_text())).read()
        for path in sorted((root / "schema").glob("*.tsv")):
            for kind in re.findall(r"^message\t(\w+)", path.read_text(), re.MULTILINE):
                name = f"{path.stem}::{kind}"
                self.names.setdefault(name, set()).add(f"api/{path.stem}.h")

    def has(self, header, name):
        """Whether a public header declares the name, a member of a class included."""
        if header.startswith("internal/") or "internal" in name.split("::"):
            return False
        if header in self.names.get(name, ()):
            return True
        owner, _, member = name.rpartition("::")
        return header in self.names.get(owner, ()) and member in self.members(owner)

    def members(self, name, seen=()):
        """The public members of a class, those of its bases included."""
        name = self.resolve(name)
        if name is None or name in seen:
            return set()
        found = set(self.classes[name].members)
        for base in self.classes[name].bases:
            found |= self.members(base, (*seen, name))
        return found

    def resolve(self, name):
        """The class that a name means: itself, what an alias stands for, or one with its end."""
        for _ in range(5):
            if name in self.classes:
                return name
            if name not in self.aliases:
                break
            name = self.aliases[name]
        last = name.rpartition("::")[2]
        ends = sorted(c for c in self.classes if c == last or c.endswith("::" + last))
        return ends[0] if ends else None

    def of_folders(self, places):
        """{the name's last part: (header, name)} of the headers below these places."""
        found = {}
        for header, name in self.below(places):
            found.setdefault(name.rpartition("::")[2], (header, name))
            if name in self.classes and "enum" in self.classes[name].bases:
                for member in self.classes[name].members:
                    found.setdefault(member, (header, f"{name}::{member}"))
        return found

    def below(self, places):
        """(header, name) in the order of the places."""
        declared = sorted((header, name) for name, headers in self.names.items()
                          for header in headers if "internal" not in name.split("::"))
        for place in places:
            for header, name in declared:
                if header == place or (place.endswith("/") and header.startswith(place)):
                    yield header, name


class Reader:
    """Reads one header."""

    def __init__(self, into, header, words):
        self.into, self.header, self.words, self.at = into, header, words, 0

    def read(self):
        self.scope("", None, True)

    def scope(self, name, owner, public):
        """The statements up to the end of a namespace or class."""
        statement = []
        while self.at < len(self.words):
            word = self.words[self.at]
            if not statement and word in ACCESS and self.words[self.at + 1] == ":":
                public = word == "public"
                self.at += 2
            elif word == "}":
                self.at += 1
                return
            elif word == ";":
                self.declare(statement, name, owner, public, False)
                statement = []
                self.at += 1
            elif word == "{":
                statement = self.block(statement, name, owner, public)
            elif word in "([" or (word == "<" and statement and "operator" not in statement[-3:]):
                end = closing(self.words, self.at)
                statement += ["(", ")"] if word == "(" else []
                self.at = end + 1
            else:
                statement.append(word)
                self.at += 1

    def block(self, statement, name, owner, public):
        """Reads or passes what stands in braces. Gives what the statement still is."""
        end = closing(self.words, self.at)
        statement = without_conditions(statement)
        if "namespace" in statement:
            inner = "".join(statement[statement.index("namespace") + 1:])
            self.at += 1
            self.scope(join(name, inner), None, True)
            return []
        if any(word in TYPES for word in statement) and "(" not in statement:
            self.type(statement, name, owner, public, end)
            self.at = end + 1
            return []
        if "(" in statement and "=" not in statement[:statement.index("(")]:
            last = statement[-1]
            if ":" in statement and last not in ("}", ")", "noexcept"):
                self.at = end + 1  # the value of a member in a constructor
                return [*statement, "}"]
            body = self.words[self.at:end]
            explains = "if" not in body and any(word in EXPLAINS for word in body)
            self.declare(statement, name, owner, public, explains)
            self.at = end + 1
            return []
        self.at = end + 1
        return [*statement, "="] if "=" not in statement else statement

    def type(self, statement, name, owner, public, end):
        at = next(i for i, word in enumerate(statement) if word in TYPES)
        rest = [word for word in statement[at:] if word not in (*TYPES, "final")]
        colon = rest.index(":") if ":" in rest else len(rest)
        own = "".join(rest[:colon])
        if not own:
            return
        qualified = join(name, own)
        made = self.into.classes.setdefault(plain(qualified), Class())
        self.add(own, name, owner, public)
        if statement[at] == "enum":
            made.bases = ["enum"]
            made.members |= enumerators(self.words[self.at + 1:end])
            return
        private = statement[at] == "class"
        for base in " ".join(rest[colon + 1:]).split(" , "):
            words = base.split()
            if words and ("public" in words or not (private or "private" in words)):
                made.bases.append("".join(w for w in words if w not in (*ACCESS, "virtual")))
        inner = Reader(self.into, self.header, self.words[:end])
        inner.at = self.at + 1
        inner.scope(qualified, made, not private)

    def declare(self, statement, name, owner, public, explains):
        words = without_conditions(statement)
        if not words or words[0] in OTHERS or "operator" in words or "~" in words or explains:
            return
        if "using" in words:
            at = words.index("using")
            if "=" in words:
                self.add(words[at + 1], name, owner, public)
                target = "".join(w for w in words[at + 3:] if w not in ("typename", "const"))
                self.into.aliases.setdefault(plain(join(name, words[at + 1])), plain(target))
            elif not any(word.endswith("Misuse") for word in words):
                self.add(words[-1], name, owner, public)
            return
        if "concept" in words:
            self.add(words[words.index("concept") + 1], name, owner, public)
            return
        ends = [words.index(word) for word in ("(", "=") if word in words]
        end = min(ends, default=len(words))
        if "(" not in words and any(word in TYPES for word in words[:end]):
            return  # forward
        if end > 1 and IDENTIFIER.match(words[end - 1]):
            self.add(words[end - 1], name, owner, public)

    def add(self, own, name, owner, public):
        qualified = plain(join(name, own))
        if owner is not None and public:
            owner.members.add(own)
        if owner is None or (public and qualified in self.into.classes):
            self.into.names.setdefault(qualified, set()).add(self.header)


def join(name, own):
    return f"{name}::{own}" if name else own


def plain(name):
    return name.removeprefix("kinformer::")


def enumerators(words):
    found, expected, depth = set(), True, 0
    for word in words:
        depth += (word in "({") - (word in ")}")
        if depth == 0 and word == ",":
            expected = True
        elif expected and IDENTIFIER.match(word):
            found.add(word)
            expected = False
    return found


def without_conditions(words):
    """Without `explicit (...)` and `requires (...) && (...)`: they have no parameters.
    What is left of a constructor is one word in front of its parameters: it is no member."""
    kept, i = [], 0
    while i < len(words):
        if words[i] in ("explicit", "requires", "alignas") and words[i + 1:i + 3] == ["(", ")"]:
            i += 3
            while words[i:i + 2] in (["&", "&"], ["|", "|"]):
                i += 2 + (words[i + 2:i + 3] == ["!"])
                while i < len(words) and words[i:i + 2] != ["(", ")"]:
                    i += 1
                i += 2
        elif words[i] in ("template", "explicit"):
            i += 1
        else:
            kept.append(words[i])
            i += 1
    return kept
