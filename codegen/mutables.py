"""Emits the mutable structs of a group-version: what is built or copied, changed and sent."""

from cppnames import identifier, is_list_kind, ordered
from descriptors import HEADER, descriptor_include

_SCALARS = {"string": "std::string", "bool": "bool",
            "int32": "std::int32_t", "int64": "std::int64_t",
            "double": "double", "bytes": "std::string"}
_VALUES = {
    "time": ("metav1::Time", "kinformer/object/time.h"),
    "microtime": ("metav1::MicroTime", "kinformer/object/time.h"),
    "duration": ("metav1::Duration", "kinformer/object/time.h"),
    "quantity": ("resource::Quantity", "kinformer/object/quantity.h"),
    "intorstring": ("intstr::IntOrStringMutable", "kinformer/object/mutable_values.h"),
    "rawjson": ("runtime::RawExtensionMutable", "kinformer/object/mutable_values.h"),
}


def structs_of(package):
    return [m for m in package.messages.values() if not is_list_kind(m)]


def struct_name(message, package=None):
    name = f"{message.name}Mutable"
    return name if message.package is package else f"{message.package.alias}::{name}"


def _member_type(f, package):
    if f.message:
        value = struct_name(f.message, package)
    elif f.kind in _VALUES:
        value = _VALUES[f.kind][0]
    else:
        value = _SCALARS[f.kind]
    if f.map:
        return f"std::map<std::string, {value}>"
    if f.repeated:
        # A vector<bool> has no elements with addresses.
        if f.message:
            return f"StructList<{value}>"
        return f"std::deque<{value}>" if f.kind == "bool" else f"std::vector<{value}>"
    if f.pointer:
        return f"Box<{value}>" if f.message else f"std::optional<{value}>"
    return value


def _order(package):
    messages = structs_of(package)

    def uses(m):
        return [f.message for f in m.fields if f.message]

    in_order, circles = ordered(messages, uses)

    # Within a circle, what holds another by value must stand behind it; lists, maps and boxes may
    # come before.
    def needs(m):
        return [f.message for f in m.fields if f.message and not (
            id(m) in circles and id(f.message) in circles and
            (f.map or f.repeated or f.pointer))]

    return ordered(in_order, needs)[0], circles


def header(package):
    """What users include: the structs and the views they belong to."""
    guard = f"KINFORMER_API_{package.alias.upper()}_MUTABLE_H_"
    gv = f"{package.group}/{package.version}" if package.group else package.version
    return (f"// kinformer/api/{package.alias}_mutable.h\n//\n"
            f"// The structs of {gv} to build, change and send, and the codecs that the client "
            "needs "
            "for them, with ToJson and ToYaml: include it where\n"
            f"// objects are written; {package.alias}.h is enough where they are "
            f"read.\n//\n{HEADER}"
            f"#ifndef {guard}\n#define {guard}\n\n"
            f'#include "kinformer/api/{package.alias}.h"\n'
            f'#include "kinformer/api/structs/{package.alias}.h"\n'
            '#include "kinformer/internal/mutable_codec.h"\n'
            f'#include "kinformer/object/mutable_text.h"\n\n#endif  // {guard}\n')


def structs_header(package):
    guard = f"KINFORMER_API_STRUCTS_{package.alias.upper()}_H_"
    in_order, circles = _order(package)
    includes = set()
    standard = {"iosfwd", "string"}
    for m in in_order:
        for f in m.fields:
            type_ = _member_type(f, package)
            for word, name in (("map", "map"), ("deque", "deque"), ("vector", "vector"),
                               ("optional", "optional")):
                if f"std::{word}<" in type_:
                    standard.add(name)
            if "int32_t" in type_ or "int64_t" in type_:
                standard.add("cstdint")
            if f.message and f.message.package is not package:
                includes.add(f"kinformer/api/structs/{f.message.package.alias}.h")
            elif f.kind in _VALUES:
                includes.add(_VALUES[f.kind][1])
            if type_.startswith("Box"):
                includes.add("kinformer/object/box.h")
            elif type_.startswith("StructList"):
                includes.add("kinformer/object/struct_list.h")
    gv = f"{package.group}/{package.version}" if package.group else package.version
    out = [f"// kinformer/api/structs/{package.alias}.h\n//\n"
           f"// The structs of {gv} to build, change and send. Plain values: members carry the "
           "API's "
           "field names. Pointers of Go\n"
           "// are a Box to a struct (kinformer/object/box.h) and a std::optional of other values; "
           "enums are text. The fields of a\n"
           "// message that Go inlines are those of a base class.\n"
           "// unknown_fields holds, in protobuf, what a newer server sent and this schema "
           "lacks; it is "
           "sent back. is_partial is\n"
           "// set in copies of objects that a projection cut: Update refuses them. Structs are "
           "equal "
           "that are sent as the same bytes;\n"
           "// objects print as \"Pod default/web-0\". View is the class that reads the same "
           "kind.\n//\n", HEADER,
           f"#ifndef {guard}\n#define {guard}\n\n"]
    out += [f"#include <{s}>\n" for s in sorted(standard)]
    out.append("\n")
    out += [f'#include "{i}"\n' for i in sorted(includes)]
    out.append("\nnamespace kinformer::internal {\n"
               "// internal/mutable_codec.h\nstruct MutableTable;\n"
               "bool SameEncoding(const MutableTable& table, const void* a, const void* b);\n"
               "std::ostream& PrintName(std::ostream& out, const char* kind, "
               "const std::string& namespace_,\n"
               "                        const std::string& name);\n}\n\n"
               f"namespace kinformer::{package.alias} {{\n\n")
    out += [f"struct {struct_name(m, package)};\n" for m in in_order if id(m) in circles]
    out += [f"class {m.name};\n" for m in in_order if m.is_object]
    for m in in_order:
        bases = [struct_name(f.message, package) for f in m.fields if f.inlined]
        inherit = " : " + ", ".join(bases) if bases else ""
        out.append(f"struct {struct_name(m, package)}{inherit} {{\n")
        if m.is_object:
            out.append(f"  using View = {m.name};\n")
        for f in m.fields:
            if f.inlined:
                continue
            # The default would need the complete type of an element that is only declared so far.
            zero = "" if f.map and id(m) in circles and id(f.message) in circles else "{}"
            out.append(f"  {_member_type(f, package)} {identifier(f.name)}{zero};\n")
        if m.is_kind:
            out.append("  bool is_partial{};\n")
        out.append("  std::string unknown_fields{};\n"
                   "  static const internal::MutableTable& mutable_table();\n")
        name = struct_name(m, package)
        out.append(f"  friend bool operator==(const {name}& a, const {name}& b) {{\n"
                   "    return internal::SameEncoding(mutable_table(), &a, &b);\n  }\n")
        if m.is_object:
            out.append(f"  friend std::ostream& operator<<(std::ostream& out, "
                       f"const {name}& object) {{\n"
                       f'    return internal::PrintName(out, "{m.name}", '
                       "object.metadata.namespace_, object.metadata.name);\n  }\n")
        out.append("};\n\n")
    out.append(f"}}  // namespace kinformer::{package.alias}\n\n#endif  // {guard}\n")
    return "".join(out)


def tables_include(package):
    return f"api/{package.alias}_mutable_tables.h"


def tables_header(package):
    guard = f"KINFORMER_{package.alias.upper()}_MUTABLE_TABLES_H_"
    space = f"kinformer::internal::mutable_tables::{package.alias}"
    out = [HEADER, f"#ifndef {guard}\n#define {guard}\n\n",
           '#include "kinformer/internal/mutable_codec.h"\n\n',
           f"namespace {space} {{\n\n"]
    out += [f"extern const MutableTable k{m.name};\n" for m in structs_of(package)]
    out.append(f"\n}}  // namespace {space}\n\n#endif  // {guard}\n")
    return "".join(out)


def listed(packages):
    """The ids of the messages of which there is a list somewhere: each has a StructList."""
    return {id(f.message) for p in packages for m in structs_of(p) for f in m.fields
            if f.message and f.repeated and not f.map}


def source(package, in_lists):
    """The tables by which the structs are encoded and decoded, and their lists."""
    in_order, circles = _order(package)
    alias = package.alias
    others = {f.message.package.alias: f.message.package
              for m in in_order for f in m.fields if f.message}
    others[alias] = package
    out = ["#include <cstddef>\n\n", f'#include "{descriptor_include(package)}"\n']
    out += [f'#include "{tables_include(others[a])}"\n' for a in sorted(others)]
    out.append(f'#include "kinformer/api/structs/{alias}.h"\n'
               '#include "kinformer/internal/mutable_codec.h"\n\n'
               '#include "api/struct_list_members.h"\n\n'
               "// The structs have bases and members with private parts; offsetof works with "
               "them all "
               "the same.\n"
               '#pragma GCC diagnostic ignored "-Winvalid-offsetof"\n\n'
               f"namespace kinformer::internal::mutable_tables::{alias} {{\nnamespace {{\n\n"
               f"using namespace kinformer::{alias};  // NOLINT(google-build-using-namespace)\n\n")
    tables = []
    for m in in_order:
        struct = struct_name(m, package)
        fields = sorted(m.fields, key=lambda f: f.number)
        if fields:
            out.append(f"constinit const MutableField k{m.name}Fields[] = {{\n")
        for f in fields:
            table = "nullptr"
            if f.message:
                table = f"&mutable_tables::{f.message.package.alias}::k{f.message.name}"
            if f.inlined:
                out.append(f"    {{0, nullptr, {table}, "
                           f"&UpCast<{struct}, kinformer::{struct_name(f.message)}>}},\n")
                continue
            ops = "nullptr"
            if f.map or f.repeated or f.pointer:
                ops = f"kContainerOps<decltype({struct}::{identifier(f.name)})>"
            offset = f"offsetof({struct}, {identifier(f.name)})"
            out.append(f"    {{{offset}, {ops}, {table}, nullptr}},\n")
        if fields:
            out.append("};\n")
        kind_info = f"&types::{alias}::k{m.name}" if m.is_kind else "nullptr"
        tables.append(f"constinit const MutableTable k{m.name}{{&descriptors::{alias}::k{m.name}, "
                      f"{f'k{m.name}Fields' if fields else '{}'}, "
                      f"offsetof({struct}, unknown_fields), {kind_info}, "
                      f"&StructTraits<{struct}>::kOps}};\n")
    out.append("\n}  // namespace\n\n")
    out += tables
    out.append(f"\n}}  // namespace kinformer::internal::mutable_tables::{alias}\n\n"
               "namespace kinformer {\n\n")
    out += [f"template class StructList<{alias}::{struct_name(m, package)}>;\n"
            for m in in_order if id(m) in in_lists]
    out.append(f"\n}}  // namespace kinformer\n\nnamespace kinformer::{alias} {{\n\n")
    for m in in_order:
        out.append(f"const internal::MutableTable& {struct_name(m, package)}::mutable_table() {{\n"
                   f"  return internal::mutable_tables::{alias}::k{m.name};\n}}\n")
    out.append(f"\n}}  // namespace kinformer::{alias}\n")
    return "".join(out)
