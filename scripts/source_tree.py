"""The sources of a tree, their includes, and what the folders declare of themselves.

Read by scripts/layers, which says what the declarations mean.
"""

import fnmatch
import os
import pathlib
import re
import sys

BUILD = "cmake/KinformerBuild.cmake"
PUBLIC = "include/kinformer/"
ROOTS = ("src/", "server/")  # of the layers: the library, and the API server beside it
OUTSIDE = ("cli", "bench", "fuzz", "examples", "test")
_INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
_TEST_NAME = re.compile(r"(?:^|_)(?:test|testing)(?:_|\.)")


def cmake_calls(text, function):
    """The calls of a function in a CMake file: lines and arguments, comments left out."""
    text = re.sub(r"#[^\n]*", "", text)
    for match in re.finditer(rf"(?<!\w){function}\s*\(([^)]*)\)", text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1).replace('"', "").split()


def keyword_lists(arguments, keywords):
    """{keyword: [values]} of CMake arguments. Other keywords end a list and are left out."""
    lists, current = {keyword: [] for keyword in keywords}, None
    for argument in arguments:
        if re.fullmatch(r"[A-Z_]+", argument):
            current = lists.get(argument)
        elif current is not None:
            current.append(argument)
    return lists


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def top_folder(layer):
    return layer.split("/")[0]


def below_root(path):
    """The path of a layer's file below its root; None for other files."""
    return next((path.removeprefix(root) for root in ROOTS if path.startswith(root)), None)


class Declaration:
    """What a folder says of itself in its CMakeLists.txt."""

    def __init__(self, name, path, line, lists):
        self.name, self.path, self.line, self.lists = name, path, line, lists

    def __getitem__(self, keyword):
        return self.lists[keyword]


class Include:
    """One #include. `target` is the path of the file that it names; None where it is not ours."""

    def __init__(self, path, line, header, quoted):
        self.path, self.line, self.header, self.quoted = path, line, header, quoted
        self.target = None


class Tree:
    """A source tree as it is on disk. `errors` collects what is wrong with it."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.errors = []
        self.layers, self.groups, self.parts = {}, {}, {}
        self.order = self._read_order()
        self._read_declarations()
        self.files = sorted(self._find_files())
        self.includes = [include for path in self.files for include in self._includes_of(path)]

    def error(self, path, line, message):
        self.errors.append((path, line, message))

    # ---- Where a file stands

    def layer_of(self, path):
        """The layer that a file belongs to, or None."""
        if path.startswith(PUBLIC):
            return next(iter(self.owners_of(path)), None)
        inside = below_root(path)
        if inside is None:
            return None
        folder = inside.rpartition("/")[0]
        while folder and folder not in self.layers:
            folder = folder.rpartition("/")[0]
        if folder:
            return folder
        # The tests of a folder that has rooms, and nothing else of its own, stand above the rooms.
        rooms = [name for name in self.order if name.startswith(top_folder(inside) + "/")]
        return rooms[-1] if rooms and self.is_test(path) else None

    def owners_of(self, public_header):
        name = public_header.removeprefix(PUBLIC)
        return [layer.name for layer in self.layers.values() if matches(name, layer["PUBLIC"])]

    def is_test(self, path):
        """Whether a file is a test or a test's helper. A layer called testing is neither."""
        inside = below_root(path)
        if inside is None:
            return False
        folder, _, name = inside.rpartition("/")
        if _TEST_NAME.search(name):
            return True
        return folder not in self.layers and "testing" in folder.split("/")

    def is_offered(self, layer, path):
        return matches(below_root(path).removeprefix(layer + "/"), self.layers[layer]["OFFERS"])

    def rooms(self, name):
        """A layer is its own room; a group is the layers below its folder."""
        if name not in self.groups:
            return [name]
        return [room for room in self.order if room.startswith(name + "/")]

    def is_below(self, lower, upper):
        return self.order.index(lower) < self.order.index(upper)

    # ---- Reading

    def _read_order(self):
        for _, arguments in cmake_calls((self.root / BUILD).read_text(), "set"):
            if arguments[:1] == ["KINFORMER_LAYERS"]:
                return arguments[1:]
        sys.exit(f"{BUILD}: no set(KINFORMER_LAYERS …)")

    def _read_declarations(self):
        for root in ROOTS:
            for path in sorted(self.root.glob(f"{root}**/CMakeLists.txt")):
                self._declare(path, "kinformer_layer", ("OFFERS", "PUBLIC", "DEPS"), self.layers)
                self._declare(path, "kinformer_group", (), self.groups)
        for folder in OUTSIDE:
            for path in self.root.glob(f"{folder}/CMakeLists.txt"):
                self._declare(path, "kinformer_part", ("MAY_INCLUDE", "PRIVATE_OF"), self.parts)
        for name in self.order:
            if name not in self.layers and name not in self.groups:
                self.error(BUILD, 1, f"no CMakeLists.txt declares {name}: strike it from "
                                     "KINFORMER_LAYERS")
        self.order = [name for name in self.order if name in self.layers]
        for part in self.parts.values():
            for keyword, names in part.lists.items():
                part.lists[keyword] = [room for name in names for room in self.rooms(name)]
        for layer in list(self.layers.values()):
            if layer.name not in self.order:
                self.error(layer.path, layer.line,
                           f"{layer.name} is not in KINFORMER_LAYERS: give it its place there")
                del self.layers[layer.name]

    def _declare(self, path, function, keywords, into):
        relative = path.relative_to(self.root).as_posix()
        for line, arguments in cmake_calls(path.read_text(), function):
            lists = keyword_lists(arguments[1:], keywords)
            into[arguments[0]] = Declaration(arguments[0], relative, line, lists)

    def _find_files(self):
        for top in ("include", *ROOTS, *OUTSIDE):
            for folder, folders, names in os.walk(self.root / top):
                folders[:] = [name for name in folders if not name.startswith((".", "build"))]
                for name in names:
                    if name.endswith((".h", ".cc", ".inc")):
                        yield (pathlib.Path(folder) / name).relative_to(self.root).as_posix()

    def _includes_of(self, path):
        for number, text in enumerate((self.root / path).read_text().splitlines(), 1):
            if match := _INCLUDE.match(text):
                quoted, angled = match.groups()
                include = Include(path, number, quoted or angled, quoted is not None)
                include.target = self._resolve(include) if quoted else None
                yield include

    def _resolve(self, include):
        here = include.path.rpartition("/")[0]
        for folder in ("include/", *ROOTS, "", "test/", "bench/", "cli/", here + "/"):
            if (self.root / (folder + include.header)).is_file():
                return folder + include.header
        # What the build generates is known by the wildcards of those who declare it.
        if self.owners_of("include/" + include.header):
            return "include/" + include.header
        for name in self.order:
            inside = include.header.removeprefix(name + "/")
            if inside != include.header and matches(inside, self.layers[name]["OFFERS"]):
                return "src/" + include.header
        return None
