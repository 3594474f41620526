"""Emits the registry: all kinds and resources in one table."""

from descriptors import HEADER, descriptor_include, flag, kind_group_version


def source(schema):
    out = [HEADER, '#include "kinformer/internal/registry.h"\n\n']
    packages = [p for p in schema.packages.values() if any(m.is_kind for m in p.messages.values())]
    out += [f'#include "{descriptor_include(p)}"\n' for p in packages]
    out.append("\nnamespace kinformer::internal {\nnamespace {\n\n")

    symbols = {}
    for p in packages:
        for m in p.messages.values():
            if m.is_kind:
                symbols[(*kind_group_version(p, m), m.name)] = f"&types::{p.alias}::k{m.name}"
    out.append("constinit const KindInfo* const kTypes[] = {\n")
    out += [f"    {symbols[k]},\n" for k in sorted(symbols)]
    out.append("};\n\n")

    words = []
    lists = {}

    def word_list(items):
        if not items:
            return "{}"
        if tuple(items) not in lists:
            lists[tuple(items)] = len(words)
            words.extend(items)
        return f"{{kWords + {lists[tuple(items)]}, {len(items)}}}"

    subresources = []
    rows = []
    for r in sorted(schema.resources, key=lambda r: (r.group, r.version, r.name)):
        if r.kind not in symbols:
            continue  # a kind without a protobuf form
        at = len(subresources)
        for s in r.subresources:
            kind = ", ".join(f'"{part}"' for part in s.kind[:3])
            subresources.append(f'    {{"{s.name}", {kind}, {word_list(s.verbs)}}},\n')
        subs = f"{{kSubresources + {at}, {len(r.subresources)}}}" if r.subresources else "{}"
        of_words = ", ".join(word_list(items) for items in (r.verbs, r.short_names, r.categories))
        rows.append(f'    {{"{r.group}", "{r.version}", "{r.name}", {symbols[r.kind]}, '
                    f'{flag(r.served)}, {of_words}, {subs}}},\n')
    out.append("constexpr std::string_view kWords[] = {\n")
    out += [f'    "{w}",\n' for w in words]
    out.append("};\n\nconstinit const SubresourceInfo kSubresources[] = {\n")
    out += subresources
    out.append("};\n\nconstinit const ResourceInfo kResources[] = {\n")
    out += rows
    out.append("};\n\nconstexpr GroupVersionInfo kVersions[] = {\n")
    # Discovery numbers the core group apart: it comes first.
    for v in sorted(schema.versions, key=lambda v: (v.group != "", v.order, v.rank)):
        out.append(f'    {{"{v.group}", "{v.version}", {flag(v.by_default)}}},\n')
    out.append("""};

}  // namespace

std::span<const KindInfo* const> AllTypes() { return kTypes; }
std::span<const ResourceInfo> AllResources() { return kResources; }
std::span<const GroupVersionInfo> AllGroupVersions() { return kVersions; }

}  // namespace kinformer::internal
""")
    return "".join(out)
