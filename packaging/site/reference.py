"""Pages of the API reference, of the XML that `scripts/api-reference --xml` makes: one a header."""

import html
import re
import xml.etree.ElementTree as ElementTree

PUBLIC = "kinformer/"
HIDDEN = ("internal", "std", "fmt", "nlohmann")


class Compound:
    """A class, struct, union or enum with its members."""

    def __init__(self, element, path):
        self.element, self.path = element, path
        self.kind = element.get("kind")
        self.name = element.findtext("compoundname")
        self.short = self.name.removeprefix("kinformer::")
        self.line = int(element.find("location").get("line", 0))


def tidy(code):
    """A declaration as the headers are formatted."""
    code = re.sub(r"\s+", " ", code)
    code = code.replace("< ", "<").replace(" >", ">")
    code = re.sub(r" ([&*]+)(?=\w)", r"\1 ", code)
    code = re.sub(r" (?=[&*])", "", code)
    code = re.sub(r"\)=(?=\w)", ") = ", code)
    return folded(re.sub(r"(?<=[\w}])=(?=[\w{\[])", " = ", code).strip())


def folded(code):
    """The declaration, its parameters one a line where it is long."""
    begin, depth, parts = code.find("("), 0, [""]
    if len(code) <= 88 or begin < 0 or code.endswith("}"):
        return code
    end = code.rfind(")")
    for character in code[begin + 1:end]:
        depth += {"<": 1, "(": 1, "{": 1, ">": -1, ")": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    inside = ",\n    ".join(part.strip() for part in parts)
    return f"{code[:begin + 1]}\n    {inside}{code[end:]}"


def escaped(text):
    text = re.sub(r"([\\`*_\[\]#])", r"\\\1", text or "")
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("|", "&#124;")


class Reference:
    """What the XML has, and the pages of it."""

    def __init__(self, folder):
        self.headers, self.compounds, self.free, self.pages = {}, {}, {}, {}
        for file in sorted(folder.glob("*.xml")):
            if file.name in ("index.xml", "Doxyfile.xml"):
                continue
            for element in ElementTree.parse(file).getroot():
                self.add(element)
        for path in self.headers:
            if self.compounds.get(path) or self.free.get(path):
                self.pages[path] = "api/" + path.removeprefix(PUBLIC).removesuffix(".h") + ".md"
        self.targets = {compound.element.get("id"): compound for compounds in
                        self.compounds.values() for compound in compounds}

    def add(self, element):
        kind, location = element.get("kind"), element.find("location")
        path = location.get("file", "") if location is not None else ""
        if kind == "file" and path.startswith(PUBLIC):
            self.headers[path] = element
        elif kind in ("class", "struct", "union") and path.startswith(PUBLIC):
            compound = Compound(element, path)
            if compound.name.startswith("kinformer::") and element.get("prot") == "public":
                self.compounds.setdefault(path, []).append(compound)
        elif kind == "namespace":
            name = element.findtext("compoundname")
            if any(part in HIDDEN for part in name.split("::")):
                return
            for member in element.iter("memberdef"):
                location = member.find("location")
                place = location.get("declfile") or location.get("file")
                if place.startswith(PUBLIC) and member.get("kind") != "friend":
                    self.free.setdefault(place, []).append(member)

    # ---- Text

    def link(self, element, page):
        """The link to a type, from a page of the reference."""
        compound = self.targets.get(element.get("refid"))
        text = escaped("".join(element.itertext()))
        if compound is None or compound.path not in self.pages:
            return text
        up = "../" * page.count("/")
        return f"[{text}]({up}{self.pages[compound.path]}#{anchor(compound.short)})"

    def inline(self, element, page):
        out = escaped(element.text)
        for child in element:
            if child.tag == "ref":
                out += self.link(child, page)
            elif child.tag == "computeroutput":
                out += "`" + "".join(child.itertext()) + "`"
            elif child.tag == "ndash":
                out += "–"
            elif child.tag in ("verbatim", "itemizedlist", "orderedlist"):
                out += "\n\n" + self.block(child, page) + "\n\n"
            else:
                out += self.inline(child, page)
            out += escaped(child.tail)
        return re.sub(r"[ \t]+", " ", out) if element.find(".//verbatim") is None else out

    def block(self, element, page):
        if element.tag == "verbatim":
            lines = [line.removeprefix("  ").rstrip().replace("\\\\", "\\")
                     for line in element.text.splitlines()]
            return "```cpp\n" + "\n".join(lines).strip("\n") + "\n```"
        mark = "1. " if element.tag == "orderedlist" else "- "
        return "\n".join(mark + " ".join(self.inline(para, page).strip() for para in item)
                         for item in element)

    def description(self, element, page):
        parts = [self.inline(para, page).strip() for name in ("briefdescription",
                 "detaileddescription") for para in element.iterfind(f"{name}/para")]
        return "\n\n".join(part for part in parts if part)

    # ---- Declarations

    def declaration(self, member, scope=""):
        kind, name = member.get("kind"), member.findtext("name")
        text = "".join(member.find("type").itertext()) if member.find("type") is not None else ""
        if kind == "enum":
            values = [value.findtext("name") for value in member.iterfind("enumvalue")]
            strong = "class " if member.get("strong") == "yes" else ""
            return f"enum {strong}{name} {{ {', '.join(values)} }};"
        if kind == "define":
            return ""
        if kind == "typedef":
            return tidy(f"{template(member)}using {name} = {text};")
        if kind == "variable":
            initial = member.findtext("initializer") or ""
            initial = initial if len(initial) < 60 and "\n" not in initial else ""
            static = "static " if scope and member.get("static") == "yes" else ""
            return tidy(f"{template(member)}{static}{text} {name}{initial}") + ";"
        static = "static " if scope and member.get("static") == "yes" else ""
        virtual = "virtual " if member.get("virt", "non-virtual") != "non-virtual" else ""
        return tidy(f"{template(member)}{virtual}{static}{text} {name}"
                    f"{member.findtext('argsstring') or ''}") + ";"

    def members(self, members, page, scope=""):
        """Declarations that share a comment stand together."""
        groups = []
        for member in members:
            code = self.declaration(member, scope)
            if not code:
                continue
            said = self.description(member, page)
            values = "\n".join(
                f"- `{value.findtext('name')}`: {' '.join(self.description(value, page).split())}"
                for value in member.iterfind("enumvalue") if self.description(value, page))
            said = f"{said}\n\n{values}" if values else said
            if groups and groups[-1][1] == said:
                groups[-1][0].append(code)
            else:
                groups.append(([code], said))
        return "\n\n".join("```cpp\n" + "\n".join(code) + "\n```\n\n" + said
                           for code, said in groups)

    def compound(self, compound, page):
        depth = "###" if "::" in compound.short else "##"
        public = [member for section in compound.element.iterfind("sectiondef")
                  for member in section.iterfind("memberdef")
                  if member.get("prot") == "public" and member.get("kind") != "friend"
                  and "internal::" not in "".join(member.find("type").itertext()
                                                  if member.find("type") is not None else "")
                  and "internal::" not in (member.findtext("argsstring") or "")]
        bases = [("public " + tidy("".join(base.itertext())))
                 for base in compound.element.iterfind("basecompoundref")
                 if "internal" not in "".join(base.itertext())]
        head = tidy(f"{template(compound.element)}{compound.kind} {compound.short}") + (
            " : " + ", ".join(bases) if bases else "") + ";"
        return "\n\n".join([
            f"{depth} {escaped(compound.short)} {{#{anchor(compound.short)}}}",
            f"```cpp\n{head}\n```", self.description(compound.element, page),
            self.members(public, page, compound.short)])

    def page(self, path):
        page = self.pages[path].removesuffix(".md") + ".md"
        said = self.description(self.headers[path], page)
        compounds = sorted(self.compounds.get(path, []), key=lambda compound: compound.line)
        free = self.free.get(path, [])
        parts = [f"---\ntitle: {path.removeprefix(PUBLIC)}\n---\n\n# {escaped(path)}",
                 f"```cpp\n#include \"{path}\"\n```", said]
        parts += [self.compound(compound, page) for compound in compounds]
        if free:
            parts += ["## Functions, types and constants", self.members(free, page)]
        return re.sub(r"\n{3,}", "\n\n", "\n\n".join(parts)) + "\n"

    def brief(self, path):
        para = self.headers[path].find("briefdescription/para")
        return "" if para is None else self.inline(para, "api/index.md").strip()


def template(element):
    parameters = element.find("templateparamlist")
    if parameters is None:
        return ""
    words = []
    for parameter in parameters.iterfind("param"):
        text = "".join(parameter.find("type").itertext())
        name = parameter.findtext("declname") or ""
        value = parameter.find("defval")
        words.append(f"{text} {name}".strip() +
                     (f" = {''.join(value.itertext())}" if value is not None else ""))
    return f"template <{', '.join(words)}> "


def anchor(name):
    return html.escape(re.sub(r"\W+", "-", name).strip("-"))


def write(folder, out):
    """Writes the pages below out/api; returns {folder of headers: [(title, page)]}."""
    reference = Reference(folder)
    rooms = {}
    for path, page in sorted(reference.pages.items()):
        (out / page).parent.mkdir(parents=True, exist_ok=True)
        (out / page).write_text(reference.page(path))
        room = path.removeprefix(PUBLIC).rpartition("/")[0] or "kinformer"
        rooms.setdefault(room, []).append((path, page))
    lines = ["---\ntitle: API reference\n---\n", "# API reference\n",
             "One page for each public header, made of the headers' own comments. The generated",
             "kinds (`kinformer/api/corev1.h` and so on) have the fields of the Kubernetes API.\n"]
    for room, pages in rooms.items():
        lines += [f"## {room}\n", "| header | content |", "|---|---|"]
        lines += [f"| [{path.rpartition('/')[2]}]({page.removeprefix('api/')}) | "
                  f"{reference.brief(path)} |" for path, page in pages]
        lines.append("")
    (out / "api/index.md").write_text("\n".join(lines))
    return {room: [(path.rpartition("/")[2], page) for path, page in pages]
            for room, pages in rooms.items()}
