"""Test programs of which one source is changed, without a build of their own for each change.

Read by scripts/mutate. The programs are built once, unchanged. For a change only what includes the
changed file is compiled again, without optimisation; these objects stand in front of the library's
archives in the linker's command, so it leaves out the archives' own.
"""

import json
import pathlib
import shlex
import shutil
import subprocess

_WITH_VALUE = {"-o", "-c", "-MF", "-MT"}
# What most sources include: read once, it takes a third off the time of each change.
_STANDARD_HEADERS = """
  algorithm array atomic charconv chrono cmath cstring deque functional iterator limits list map
  memory mutex optional set span stop_token string string_view tuple unordered_map unordered_set
  utility variant vector""".split()
QUICK_LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []


def compile_command(command, source, output, changed, optimise="-O0"):
    """The command that compiled an object, for `source` and `output` and without warnings; a header
    below the folder `changed` goes before the tree's own."""
    words = shlex.split(command)
    if pathlib.Path(words[0]).name == "ccache":
        words.pop(0)
    kept, value_follows = [], False
    for word in words[1:]:
        if value_follows:
            value_follows = False
        elif word in _WITH_VALUE:
            value_follows = True
        elif word != "-MD" and not word.startswith(("-O", "-W")):
            kept.append(word)
    return [words[0], "-iquote", str(changed), *kept, "-w", optimise,
            "-o", str(output), "-c", str(source)]


def link_command(command, output, objects):
    """The command that linked a program, with other objects: `objects` has the old one's name and
    the new one's. What the command does not name comes from an archive and goes in front."""
    words = [word for word in shlex.split(command) if word not in (":", "&&")]
    named = [objects.get(word, word) for word in words]
    at = named.index("-o")
    front = [str(new) for old, new in objects.items() if old not in words]
    return [*map(str, named[:at]), *front, "-o", str(output), *map(str, named[at + 2:])]


def dependencies(text, folder, root):
    """Of `ninja -t deps`: for each object the files below `root` that it was made from."""
    found, current = {}, None
    for line in text.splitlines():
        if not line.startswith(" "):
            current = found.setdefault(line.split(": #deps", 1)[0], set()) if line else None
            continue
        name = line.strip()
        if current is None or name.startswith("/usr/"):
            continue
        path = pathlib.Path(folder, name).resolve()
        if path.is_relative_to(root):
            current.add(str(path.relative_to(root)))
    return found


class TestPrograms:
    """The build in `folder` of the tree at `root`."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.sources, self.commands, self.made_from = {}, {}, {}
        self.objects, self.links = {}, {}
        self.standard = folder / "planted/standard.h"

    def prepare(self, tests):
        """Builds them; False where that fails. The flags are those of the preset `release`, so
        ccache has most of it where that has been built."""
        lib = self.root / "scripts/lib.sh"
        built = subprocess.run(
            ["bash", "-c", 'source "$1"; shift; folder=$1; shift; configure release -B "$folder" '
             '-DKINFORMER_BATCHES=OFF; '
             'cmake --build "$folder" --target "$@"', "mutate", lib, self.folder, *tests],
            check=False)
        if built.returncode != 0:
            return False
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            name = words[words.index("-o") + 1]
            self.sources[name], self.commands[name] = entry["file"], entry["command"]
        self.made_from = dependencies(self._ninja("deps"), self.folder, self.root)
        for test in tests:
            self.objects[test] = [name for name in self._ninja("inputs", test).splitlines()
                                  if name in self.commands]
            self.links[test] = self._ninja("commands", test).splitlines()[-1]
        self._precompile()
        return True

    def _precompile(self):
        """Where the compiler cannot use the outcome for an object, it reads the headers anew."""
        output = self.standard.with_suffix(".h.gch")
        if output.exists():
            return
        self.standard.parent.mkdir(parents=True, exist_ok=True)
        self.standard.write_text("".join(f"#include <{name}>\n" for name in _STANDARD_HEADERS))
        some_object = next(name for names in self.objects.values() for name in names)
        command = compile_command(self.commands[some_object], self.standard, output, self.folder)
        subprocess.run([command[0], "-x", "c++-header", *command[1:]], cwd=self.folder, check=True)

    def program(self, test):
        return self.folder / "bin" / test

    def _ninja(self, tool, *names):
        return subprocess.run(["ninja", "-C", self.folder, "--quiet", "-t", tool, *names],
                              text=True, capture_output=True, check=True).stdout


class Changed:
    """The programs with another text for one file, made below `folder`."""

    def __init__(self, programs, path, text, folder):
        self._programs, self._path, self._folder = programs, path, folder
        self._compiled = {}
        self._overlay = folder / "src"
        self._file = folder / path
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(text)

    def remove(self):
        self._file.unlink()

    def link(self, test):
        """The changed program. None: it does not compile. An unchanged one where nothing of it is
        made from the file."""
        needed = [name for name in self._programs.objects[test]
                  if self._path in self._programs.made_from.get(name, ())]
        for name in needed:
            if name not in self._compiled:
                self._compiled[name] = self._compile(name, len(self._compiled), "-O0")
            if self._compiled[name] is None:
                return None
        if not needed:
            return self._programs.program(test)
        output = self._folder / test
        objects = {name: self._compiled[name] for name in needed}
        linked = self._run(
            [*link_command(self._programs.links[test], output, objects), *QUICK_LINKER])
        if not linked:
            raise RuntimeError(f"{test} does not link with {', '.join(objects)}")
        return output

    def is_same_program(self):
        """Whether the optimised objects are those of the unchanged text, byte by byte."""
        unchanged = (self._programs.root / self._path).read_text()
        text = self._file.read_text()
        made = [name for name, files in self._programs.made_from.items() if self._path in files]
        for name in self._compiled or made[:1]:
            with_it = self._compile(name, "with", "-O2")
            if with_it is None:
                return False
            self._file.write_text(unchanged)
            without = self._compile(name, "without", "-O2")
            self._file.write_text(text)
            if with_it.read_bytes() != without.read_bytes():
                return False
        return True

    def _compile(self, name, number, optimise):
        source = pathlib.Path(self._programs.sources[name])
        if source == self._programs.root / self._path:
            source = self._file
        output = self._folder / f"{number}.o"
        command = compile_command(self._programs.commands[name], source, output, self._overlay,
                                  optimise)
        if optimise == "-O0":
            command[1:1] = ["-include", str(self._programs.standard)]
        return output if self._run(command) else None

    def _run(self, command):
        return subprocess.run(command, cwd=self._programs.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0
