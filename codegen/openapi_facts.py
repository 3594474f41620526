#!/usr/bin/env python3
"""Writes server/apiserver/discovery/openapi_facts.cc: what the OpenAPI documents of a real server
say about built-in types beyond schema/.

usage: openapi_facts.py SCHEMA_DIR DOCUMENT... > server/apiserver/discovery/openapi_facts.cc
The documents are those of /openapi/v3/... of test/realserver, one file for each group and version.
"""

import json
import sys

from schema import Schema


def schema_name(full_name):
    """io.k8s.api.core.v1.Pod of k8s.io.api.core.v1.Pod."""
    return "io.k8s." + full_name[len("k8s.io."):].replace("_", "-")


def json_fields(message):
    for f in message.fields:
        if f.inlined:
            yield from json_fields(f.message)
        else:
            yield f


def looks_required(f):
    """The rule of openapi_facts.h."""
    whole = f.kind == "message" and not (f.pointer or f.repeated or f.map)
    return "omitempty" not in f.flags and not whole and f.kind not in ("time", "microtime")


def enum_of(node):
    if isinstance(node, dict):
        if isinstance(node.get("enum"), list):
            return node["enum"]
        for key in ("items", "additionalProperties", "allOf"):
            found = enum_of(node.get(key))
            if found:
                return found
    if isinstance(node, list):
        for item in node:
            found = enum_of(item)
            if found:
                return found
    return None


def main():
    definitions = {}
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as document:
            definitions.update(json.load(document)["components"]["schemas"])
    odd, enums = [], []
    for full_name, message in Schema(sys.argv[1]).by_full_name.items():
        definition = definitions.get(schema_name(full_name))
        if definition is None:
            continue
        properties = definition.get("properties", {})
        for f in json_fields(message):
            if f.name not in properties:
                continue
            name = f"{full_name}.{f.name}"
            if looks_required(f) != (f.name in definition.get("required", [])):
                odd.append(name)
            values = enum_of(properties[f.name])
            if values:
                enums.append((name, ",".join(values)))
    print("// Written by codegen/openapi_facts.py. Not to be edited.\n")
    print('#include "apiserver/discovery/openapi_facts.h"\n')
    print("#include <algorithm>\n#include <iterator>\n")
    print("namespace kinformer::apiserver {\nnamespace {\n")
    print("// The exceptions to the rule of the header, in bytewise order.")
    print("constexpr std::string_view kOdd[] = {")
    for name in sorted(odd):
        print(f'    "{name}",')
    print("};\n\nstruct Choice {\n  std::string_view field;\n  std::string_view values;\n};\n")
    print("// In bytewise order of the field.")
    print("constexpr Choice kChoices[] = {")
    for name, values in sorted(enums):
        print(f'    {{"{name}", "{values}"}},')
    print("};\n\n}  // namespace\n")
    print("""bool HasOddRequirement(std::string_view field) {
  return std::binary_search(std::begin(kOdd), std::end(kOdd), field);
}

std::string_view ChoicesOf(std::string_view field) {
  const Choice* const found =
      std::lower_bound(std::begin(kChoices), std::end(kChoices), field,
                       [](const Choice& choice, std::string_view name) {
                         return choice.field < name;
                       });
  return found != std::end(kChoices) && found->field == field ? found->values : std::string_view();
}

}  // namespace kinformer::apiserver""")


main()
