"""Emits the view classes of a group-version."""

from cppnames import HAND_WRITTEN, VALUE_TYPES, hand_written, identifier, is_list_kind, ordered
from descriptors import HEADER, flag, kind_group_version

_GETTERS = {
    "string": ("std::string_view", "GetString"), "bool": ("bool", "GetBool"),
    "int32": ("std::int32_t", "GetInt32"), "int64": ("std::int64_t", "GetInt64"),
    "double": ("double", "GetDouble"), "bytes": ("std::string_view", "GetBytes"),
}
_NUMBERS = ("bool", "std::int32_t", "std::int64_t", "double")


def views_of(package):
    return [m for m in package.messages.values() if not hand_written(m) and not is_list_kind(m)]


def embedded_kinds(schema):
    """Kinds with metadata that stand inside other objects, where a view points to no block."""
    found = {}
    for p in schema.packages.values():
        for m in views_of(p):
            for f in m.fields:
                if f.message and f.message.is_object:
                    found[id(f.message)] = f.message
    return found


def _class_name(message, package):
    name = ("Embedded" if message.is_object else "") + message.name
    return name if message.package is package else f"{message.package.alias}::{name}"


def _value_type(f, package):
    if f.message:
        return _class_name(f.message, package)
    if f.kind in VALUE_TYPES:
        return VALUE_TYPES[f.kind][0]
    return _GETTERS[f.kind][0]


def _accessors(message, package, parent="*this"):
    """Name, return type and expression of each accessor, those of inlined messages included."""
    for f in message.fields:
        if f.inlined:
            inner = f"internal::GetMessage<internal::MessageView>({parent}, {f.number})"
            yield from _accessors(f.message, package, inner)
            continue
        value = _value_type(f, package)
        if f.map:
            type_ = f"internal::MessageMap<{value}>"
            if value == "std::string_view":
                type_ = "internal::StringMap"
            yield f, type_, f"{type_}({parent}, {f.number})"
        elif f.repeated:
            type_ = f"internal::Repeated<{value}>"
            yield f, type_, f"{type_}({parent}, {f.number})"
        elif f.kind in _GETTERS:
            getter = _GETTERS[f.kind][1]
            if f.pointer:
                getter = getter.replace("Get", "GetOptional")
                yield f, f"std::optional<{value}>", f"internal::{getter}({parent}, {f.number})"
            else:
                yield f, value, f"internal::{getter}({parent}, {f.number})"
        elif f.pointer:
            yield (f, f"std::optional<{value}>",
                   f"internal::GetOptional<{value}>({parent}, {f.number})")
        else:
            yield f, value, f"internal::GetMessage<{value}>({parent}, {f.number})"


def _returned(type_):
    """What an accessor returns: a value that cannot be assigned to, which would do nothing. Of
    numbers the language sees to that."""
    return type_ if type_ in _NUMBERS else f"const {type_}"


def _uses(package):
    def uses(m):
        for f in m.fields:
            if f.message and f.message.package is package:
                yield f.message
                if f.inlined:
                    yield from uses(f.message)
    return uses


def _accessor_lines(m, name, package, apart):
    """The accessors in the class; those that must be defined inline behind it; those in the source
    file: std::optional of a class is dear to compile, so a user pays for it where it is used."""
    inside, behind, source = [], [], []
    for f, type_, expression in _accessors(m, package):
        ident = identifier(f.name)
        by_source = type_.startswith("std::optional") and f.kind not in _GETTERS
        type_ = _returned(type_)
        definition = f"{type_} {name}::{ident}() const {{\n  return {expression};\n}}\n"
        if by_source:
            inside.append(f"  {type_} {ident}() const;\n")
            source.append(definition)
        elif apart:
            inside.append(f"  {type_} {ident}() const;\n")
            behind.append("inline " + definition)
        else:
            inside.append(f"  {type_} {ident}() const {{\n    return {expression};\n  }}\n")
    return inside, behind, source


def _message_class(m, name, package, apart, with_type):
    inside, behind, _ = _accessor_lines(m, name, package, apart)
    mutable = m.name + "Mutable"
    out = [f"class {name} : public internal::MessageOf<{name}, {mutable}> {{\n public:\n"
           f"  using Mutable = {mutable};\n"
           "  static const internal::MessageDescriptor& message_descriptor();\n"]
    if with_type:
        out.append(_kind_constants(m, None))
    out.append(f"  {name}() = default;\n"
               f"  explicit {name}(const internal::MessageView& message) "
               ": MessageOf(message) {}\n")
    out += inside
    out.append("};\n\n")
    return "".join(out), behind


def _kind_constants(m, resource):
    group, version = kind_group_version(m.package, m)
    out = (f"  static const KindInfo& kind_info();\n"
           f'  static constexpr std::string_view kGroup = "{group}";\n'
           f'  static constexpr std::string_view kVersion = "{version}";\n'
           f'  static constexpr std::string_view kKind = "{m.name}";\n')
    if resource:
        out += (f'  static constexpr std::string_view kPlural = "{resource.name}";\n'
                f"  static constexpr bool kNamespaced = {flag(resource.namespaced)};\n")
    return out


def _object_class(m, package, resource):
    inside, _, _ = _accessor_lines(m, m.name, package, False)
    out = [f"class {m.name} : public internal::RootView {{\n public:\n"
           f"  using Mutable = {m.name}Mutable;\n",
           _kind_constants(m, resource),
           f"  {m.name}() = default;\n"
           f"  explicit {m.name}(const internal::Block* block) : RootView(block) {{}}\n"]
    out += inside
    out.append(f"  // A {m.name}::Mutable to change and send. Needs {package.alias}_mutable.h.\n"
               f"  template <class M = {m.name}Mutable>\n"
               "  [[nodiscard]] auto DeepCopy() const {\n"
               "    return internal::CopyInto<M>(block());\n  }\n};\n\n")
    return "".join(out)


def header(schema, package):
    messages = views_of(package)
    guard = f"KINFORMER_API_{package.alias.upper()}_H_"
    includes = {"kinformer/object/kind_info.h", "kinformer/internal/view.h"}
    for m in messages:
        for f in m.fields:
            if f.message and hand_written(f.message):
                includes.add(HAND_WRITTEN[f.message.name])
            elif f.message and f.message.package is not package:
                includes.add(f"kinformer/api/{f.message.package.alias}.h")
            elif f.kind in VALUE_TYPES:
                includes.add(VALUE_TYPES[f.kind][1])
    if package.alias == "metav1":
        includes |= {h for h in HAND_WRITTEN.values() if h}
    gv = f"{package.group}/{package.version}" if package.group else package.version
    out = [f"// kinformer/api/{package.alias}.h\n//\n"
           f"// Views of the kinds and messages of {gv}: unowned values over the bytes of an "
           "object, "
           "whose accessors carry the\n"
           "// API's own field names. They live as long as the object's block: as some Ref or "
           "Snapshot "
           "that holds it. Pointer\n"
           "// fields of Go are std::optional; enums are text. The structs to write with are in "
           f"{package.alias}_mutable.h.\n//\n", HEADER,
           f"#ifndef {guard}\n#define {guard}\n\n"
           "#include <cstdint>\n#include <optional>\n#include <string_view>\n\n"]
    out += [f'#include "{i}"\n' for i in sorted(includes)]
    out.append(f"\nnamespace kinformer::{package.alias} {{\n\n")
    # Compilers show the line where they say that a struct is incomplete.
    out += [f"struct {m.name}Mutable;  // kinformer/api/{package.alias}_mutable.h\n"
            for m in messages]
    if package.alias != "metav1":  # object_meta.h has that one's
        out.append("\n// Names the header that a DeepCopy lacks.\n"
                   "template <class M>\nauto StructHeaderOf(const M* /*unused*/) {\n"
                   "  static_assert(internal::StructIsKnown<M>,\n"
                   '                "this needs a struct to write to: "\n'
                   f'                "#include \\"kinformer/api/{package.alias}_mutable.h\\"");\n'
                   "}\n")
    out.append("\n")
    embedded = embedded_kinds(schema)
    resources = {}
    for r in schema.resources:
        resources.setdefault(r.kind, r)
    in_order, circles = ordered(messages, _uses(package))
    out += [f"class {m.name};\n" for m in in_order if id(m) in circles]
    behind = []
    for m in in_order:
        if m.is_object:
            resource = resources.get((*kind_group_version(package, m), m.name))
            out.append(_object_class(m, package, resource))
            if id(m) in embedded:
                text, _ = _message_class(m, f"Embedded{m.name}", package, False, False)
                out.append(text)
        else:
            text, more = _message_class(m, m.name, package, id(m) in circles, m.is_kind)
            out.append(text)
            behind += more
    out += behind
    out.append(f"\n}}  // namespace kinformer::{package.alias}\n\n#endif  // {guard}\n")
    return "".join(out)


def source(schema, package):
    """The definitions of the kinds' kind_info(), of the messages' descriptors and of the "
    "accessors that are not inline."""
    out = []
    embedded = embedded_kinds(schema)
    for m in views_of(package):
        if m.is_kind:
            out.append(f"const KindInfo& {m.name}::kind_info() {{\n"
                       f"  return internal::types::{package.alias}::k{m.name};\n}}\n")
        messages = [] if m.is_object else [m.name]
        if id(m) in embedded:
            messages.append(f"Embedded{m.name}")
        out += [f"const internal::MessageDescriptor& {name}::message_descriptor() {{\n"
                f"  return internal::descriptors::{package.alias}::k{m.name};\n}}\n"
                for name in messages]
        names = [m.name] + ([f"Embedded{m.name}"] if id(m) in embedded else [])
        for name in names:
            out += _accessor_lines(m, name, package, False)[2]
    if not out:
        return ""
    namespace = f"kinformer::{package.alias}"
    return f"\nnamespace {namespace} {{\n\n{''.join(out)}\n}}  // namespace {namespace}\n"
