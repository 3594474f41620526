"""Emits MessageDescriptors and KindInfos."""

HEADER = "// Generated from schema/ by codegen/generate.py. Not to be edited.\n\n"

_KINDS = {
    "string": "kString", "bool": "kBool", "int32": "kInt32", "int64": "kInt64", "double": "kDouble",
    "bytes": "kBytes", "message": "kMessage", "time": "kTime", "microtime": "kMicroTime",
    "duration": "kDuration", "quantity": "kQuantity", "intorstring": "kIntOrString",
    "rawjson": "kRawJson",
}

_UNIONS = {
    "": "kNone", "schemaOrArray": "kSchemaOrArray", "schemaOrBool": "kSchemaOrBool",
    "schemaOrStringArray": "kSchemaOrStringArray", "stringList": "kStringList",
}

_LIST_TYPES = {"": "kUnspecified", "atomic": "kAtomic", "set": "kSet", "map": "kMap"}


def flag(value):
    return "true" if value else "false"


def descriptor_include(package):
    """Where a package's descriptors are declared."""
    # Those of meta/v1 live in the object layer, which needs them itself.
    folder = "object/block" if package.alias in ("metav1", "metav1beta1") else "api"
    return f"{folder}/{package.alias}_descriptors.h"


def kind_group_version(package, message):
    """The group and version under which a kind is known."""
    if package.alias == "metav1" and not message.name.startswith("PartialObjectMetadata"):
        return "", "v1"  # Status, DeleteOptions, ... belong to the core group on the wire
    return package.group, package.version


def dependencies(package):
    """The other packages whose messages the fields of this one use."""
    found = {f.message.package.alias: f.message.package
             for m in package.messages.values() for f in m.fields if f.message}
    return [found[a] for a in sorted(found) if a != package.alias]


def header(package):
    guard = f"KINFORMER_{package.alias.upper()}_DESCRIPTORS_H_"
    out = [HEADER, f"#ifndef {guard}\n#define {guard}\n\n",
           '#include "kinformer/internal/descriptor.h"\n'
           '#include "kinformer/object/kind_info.h"\n\n',
           f"namespace kinformer::internal::descriptors::{package.alias} {{\n\n"]
    out += [f"extern const MessageDescriptor k{m};\n" for m in package.messages]
    out.append(f"\n}}  // namespace kinformer::internal::descriptors::{package.alias}\n\n")
    kinds = [m.name for m in package.messages.values() if m.is_kind]
    if kinds:
        out.append(f"namespace kinformer::internal::types::{package.alias} {{\n\n")
        out += [f"extern const KindInfo k{m};\n" for m in kinds]
        out.append(f"\n}}  // namespace kinformer::internal::types::{package.alias}\n\n")
    out.append(f"#endif  // {guard}\n")
    return "".join(out)


def _merge_rule(f, rules):
    strategy = f.flags.get("patchStrategy", "").split("+")
    key = (flag("merge" in strategy), flag("retainKeys" in strategy),
           f.flags.get("patchMergeKey", ""),
           _LIST_TYPES[f.flags.get("listType", "")], f.flags.get("listMapKey", ""))
    if key == ("false", "false", "", "kUnspecified", ""):
        return "nullptr"
    return f"&kRules[{rules.setdefault(key, len(rules))}]"


def body(package):
    """The definitions of a package's descriptors, for inclusion in a source file."""
    out = []
    rules = {}
    order = []

    def slice_of(indexes):
        at = len(order)
        order.extend(indexes)
        return f"{{kOrder + {at}, {len(indexes)}}}" if indexes else "{}"

    fields_text = []
    messages_text = []
    for m in package.messages.values():
        by_number = sorted(m.fields, key=lambda f: f.number)
        index = {id(f): i for i, f in enumerate(by_number)}
        names = sorted((f for f in m.fields if not f.inlined), key=lambda f: f.name.encode())
        if by_number:
            fields_text.append(f"constinit const FieldDescriptor k{m.name}Fields[] = {{\n")
            for f in by_number:
                kind = "kJsonUnion" if f.message and f.message.union else _KINDS[f.kind]
                message = "nullptr"
                if f.message:
                    message = f"&{f.message.package.alias}::k{f.message.name}"
                fields_text.append(
                    f'    {{"{f.name}", {f.number}, FieldKind::{kind}, {flag(f.repeated)}, '
                    f'{flag(f.map)}, {flag(f.pointer)}, {flag("omitempty" in f.flags)}, '
                    f'{flag(f.inlined)}, {message}, '
                    f'{_merge_rule(f, rules)}}},\n')
            fields_text.append("};\n")
        messages_text.append(
            f'constinit const MessageDescriptor k{m.name}{{"{m.full_name}", '
            f'{f"k{m.name}Fields" if by_number else "{}"}, '
            f'{slice_of([index[id(f)] for f in names])}, '
            f'{slice_of([index[id(f)] for f in m.fields])}, UnionKind::{_UNIONS[m.union]}, '
            f'{flag("typemeta" in m.flags)}}};\n')
    out.append(f"namespace kinformer::internal::descriptors::{package.alias} {{\nnamespace {{\n\n")
    if rules:
        out.append("constexpr MergeRule kRules[] = {\n")
        for merge, retain, key, list_type, map_keys in rules:
            out.append(f'    {{{merge}, {retain}, "{key}", ListType::{list_type}, '
                       f'"{map_keys}"}},\n')
        out.append("};\n\n")
    if order:
        out.append("constexpr std::uint16_t kOrder[] = {")
        out.append(", ".join(str(i) for i in order))
        out.append("};\n\n")
    out += fields_text
    out.append("\n}  // namespace\n\n")
    out += messages_text
    out.append(f"\n}}  // namespace kinformer::internal::descriptors::{package.alias}\n")
    return "".join(out)


def kind_infos(package, resources):
    """The definitions of the KindInfos of a package's kinds."""
    by_kind = {}
    for r in resources:
        by_kind.setdefault(r.kind, r)
    kinds = [m for m in package.messages.values() if m.is_kind]
    if not kinds:
        return ""
    out = [f"\nnamespace kinformer::internal::types::{package.alias} {{\n\n"]
    for m in kinds:
        group, version = kind_group_version(package, m)
        r = by_kind.get((group, version, m.name))
        out.append(f'constinit const KindInfo k{m.name}{{"{group}", "{version}", "{m.name}", '
                   f'"{r.name if r else ""}", '
                   f'"{r.singular if r else ""}", {flag(r and r.namespaced)}, '
                   f'&descriptors::{package.alias}::k{m.name}}};\n')
    out.append(f"\n}}  // namespace kinformer::internal::types::{package.alias}\n")
    return "".join(out)
