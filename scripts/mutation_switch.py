"""All faults of a source in one object, each behind a switch: planting one is setting a variable of
the environment instead of compiling.

Read by scripts/mutate. The switches are in mutation_switch.h. A fault whose switch does not compile
has none, and is planted as mutation_build.py does it. Faults of headers are, too.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess

import mutation
import mutation_build

HERE = pathlib.Path(__file__).resolve().parent
_SPACE = "kinformer_mutation::"
_OPERATORS = {
    " < ": "Less", " <= ": "LessEqual", " > ": "Greater", " >= ": "GreaterEqual",
    " == ": "Equal", " != ": "NotEqual", " + ": "Plus", " - ": "Minus", " += ": "Add",
    " -= ": "Subtract"}
_ENDS = re.compile(r"\s(?:\|\||\?|:)\s")
_BEGINS = re.compile(r"(?:\b(?:return|co_return|throw|else|do)|[^=!<>]=|\?|\s:)\s$")
# A constant that is one for the compiler would be fixed when it is compiled.
_CONSTANT = re.compile(r"\s*(?:static |inline )*(constexpr) [^(){}]*(?:=|\{)")
# Faults are dropped from a text that does not compile, by the lines that the compiler names.
_ATTEMPTS = 12


def right_end(code, at, connective):
    """Where the right operand of && or || ends that begins there."""
    depth = 0
    while at < len(code):
        sign = code[at]
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            if depth == 0:
                return at
            depth -= 1
        elif depth == 0 and (sign in ",;" or _ENDS.match(code, at)
                             or connective == " && " and code.startswith(" && ", at)):
            return at
        at += 1
    return at


def left_begin(code, at):
    """Where the left operand of && or || begins that ends there, up to the last || at most."""
    depth = 0
    while at > 0:
        sign = code[at - 1]
        if sign in ")]}":
            depth += 1
        elif sign in "([{":
            if depth == 0:
                return at
            depth -= 1
        elif depth == 0 and (sign in ",;" or _BEGINS.search(code, max(0, at - 12), at)
                             or code.endswith(" || ", 0, at)):
            break
        at -= 1
    while code[at].isspace():
        at += 1
    return at


def switch(mutant, code, number):
    """The edits that put it behind a switch: (place, length, text, order). None: no way."""
    start, before = mutant.start, mutant.before
    reached = f"{_SPACE}On({number})"
    if mutant.rule in ("comparison", "sum"):
        return [(start, len(before), f"{before}{_SPACE}{_OPERATORS[before]}<{number}>{{}}{before}",
                 0)]
    if mutant.rule == "connective":
        end = start + len(before)
        # Elsewhere in a chain, the other operator would take other operands.
        if (code.startswith(" && ", right_end(code, end, before)) if before == " && " else
                code.endswith(" || ", 0, left_begin(code, start))):
            return None
        rest = f")) {'||' if before == ' && ' else '&&'} {_SPACE}Kept<{number}>"
        rest += "(false))" if before == " && " else "(true))"
        return [(left_begin(code, start), 0, f"(({_SPACE}Left<{number}>(", -start),
                (start, len(before), f"){before}(", 0),
                (right_end(code, end, before), 0, rest, -start)]
    if mutant.rule == "step":
        if not re.match(r"[\w(*:]", code[start + 2:start + 3]):
            return None
        name = "Increment" if before == "++" else "Decrement"
        return [(start, 2, f"{_SPACE}{name}<{number}>{{}} ->* ", 0)]
    if mutant.rule == "truth":
        return [(start, len(before), f"({'!' if before == 'true' else ''}{reached})", 0)]
    if mutant.rule == "bound":
        least = "true" if before == "std::min" else "false"
        return [(start, len(before), f"{_SPACE}Bound<{number}, {least}>::Of", 0)]
    if mutant.rule == "negation":
        return [(start, 1, f"{_SPACE}Not<{number}>{{}} ->* ", 0)]
    if mutant.rule == "number":
        return [(start, len(before), f"({reached} ? {mutant.after} : {before})", 0)]
    # A block of its own, as it may stand behind an if.
    return [(start, 0, f"{{ if (!{reached}) {{ ", -1 << 40), (start + len(before), 0, " } }", 1)]


def with_switches(text, faults):
    """The text with the faults {number: mutant} behind switches. Lines stay where they are."""
    code = mutation.masked(text)
    edits = []
    for number, mutant in faults.items():
        changes = switch(mutant, code, number) or []
        line = code.rfind("\n", 0, mutant.start) + 1
        if constant := _CONSTANT.match(code[line:mutant.start + 1]):
            changes = [(place, length, new.replace("::On(", "::Reached("), order)
                       for place, length, new, order in changes]
            changes.append((line + constant.start(1), len("constexpr"), "const", 0))
        edits += changes
    pieces, at = [], 0
    for place, length, new, _ in sorted(set(edits), key=lambda e: (e[0], e[1] > 0, e[3])):
        pieces += [text[at:place], new]
        at = place + length
    return "".join([*pieces, text[at:]])


class Switched:
    """The test programs with switches for `mutants`, made below `folder`."""

    def __init__(self, programs, mutants, folder, jobs):
        self._programs, self._folder = programs, folder
        self.numbers = {}  # of the faults that have a switch
        self._objects, self._cases = {}, {}
        folder.mkdir(parents=True, exist_ok=True)
        by_path = {}
        for number, mutant in enumerate(mutants):
            by_path.setdefault(mutant.path, {})[number] = mutant
        names = {str(pathlib.Path(source)): name for name, source in programs.sources.items()}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            made = {path: pool.submit(self._compile, names.get(str(programs.root / path)), path,
                                      faults)
                    for path, faults in by_path.items() if path.endswith(".cc")}
            for path, future in made.items():
                for number, mutant in (future.result() or {}).items():
                    self.numbers[mutant] = number
        self._listener = self._compile_listener()

    def link(self, test):
        """Links the program, and returns its path."""
        needed = {name: self._objects[name] for name in self._programs.objects[test]
                  if name in self._objects}
        output = self._folder / test
        words = mutation_build.link_command(self._programs.links[test], output, needed)
        words.insert(words.index("-o"), str(self._listener))
        self._run([*words, *mutation_build.QUICK_LINKER]).check_returncode()
        return output

    def learn(self, test, reached):
        """Reads what the program `test` has written: which of its cases reach which faults."""
        cases, everywhere = [], []
        for line in pathlib.Path(reached).read_text().splitlines():
            name, milliseconds, *numbers = line.split()
            if name == "*":
                everywhere = numbers
            else:
                cases.append((int(milliseconds), name))
            for number in numbers if name != "*" else ():
                self._cases.setdefault((test, int(number)), []).append(cases[-1])
        for number in everywhere:
            self._cases[test, int(number)] = list(cases)

    def cases(self, test, mutant):
        """The cases of a program that reach the fault, the quickest first: (milliseconds, name)."""
        return sorted(self._cases.get((test, self.numbers[mutant]), []))

    def _compile(self, name, path, faults):
        """The faults that have a switch now. The others are left out, by the errors' lines."""
        if name is None:
            return {}
        text = (self._programs.root / path).read_text()
        code = mutation.masked(text)
        faults = {number: mutant for number, mutant in faults.items()
                  if switch(mutant, code, number)}
        source = self._folder / "src" / path
        source.parent.mkdir(parents=True, exist_ok=True)
        output = self._folder / (path.replace("/", "__") + ".o")
        command = mutation_build.compile_command(self._programs.commands[name], source, output,
                                                 (self._programs.root / path).parent)
        command[1:1] = ["-include", str(HERE / "mutation_switch.h"), "-Wno-narrowing"]
        for _ in range(_ATTEMPTS):
            if not faults:
                break
            source.write_text(with_switches(text, faults))
            done = self._run(command)
            if done.returncode == 0:
                self._objects[name] = output
                return faults
            lines = {int(line) for line in
                     re.findall(re.escape(str(source)) + r":(\d+)", done.stderr)}
            left = {number: mutant for number, mutant in faults.items() if not lines.intersection(
                range(mutant.line, mutant.line + mutant.before.count("\n") + 1))}
            if len(left) == len(faults):
                break
            faults = left
        return {}

    def _compile_listener(self):
        output = self._folder / "mutation_switch.o"
        self._run([os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-c",
                   str(HERE / "mutation_switch.cc"), "-o", str(output)]).check_returncode()
        return output

    def _run(self, command):
        return subprocess.run(command, cwd=self._programs.folder, text=True, capture_output=True,
                              check=False)
