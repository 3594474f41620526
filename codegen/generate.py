#!/usr/bin/env python3
"""Generates C++ from schema/: descriptors, kinds, the registry, views, mutable
structs and their builders, and the accessors of the informer factory and of the clientset.

    generate.py SCHEMA_DIR OUT_DIR

Writes OUT_DIR/include and OUT_DIR/src, and OUT_DIR/sources.cmake with the lists of sources. A file
that would not change is left alone, so that nothing is compiled again for nothing. Python 3.11,
standard library only.
"""

import pathlib
import re
import sys

import accessors
import applyconfig
import clientset
import defaults
import descriptors
import mutables
import registry
import required
import umbrellas
import values
import views
from schema import Schema

META = ("metav1", "metav1beta1")  # their descriptors are compiled into the object layer


class Output:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.written = set()

    def write(self, name, text):
        path = self.root / name
        self.written.add(path)
        if path.exists() and path.read_text() == text:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def remove_others(self):
        for path in self.root.rglob("*"):
            if path.is_file() and path not in self.written:
                path.unlink()


def source_name(package):
    """The source file of a package. Old and experimental versions of a group share one: few
    programs use them, and each file costs the parsing of core/v1 anew."""
    if package.alias in META or re.fullmatch(r"v\d+", package.version):
        return package.alias
    return re.sub(r"v\d+(alpha|beta)\d+$", "", package.alias) + "_prerelease"


def main():
    schema = Schema(sys.argv[1])
    out = Output(sys.argv[2])
    texts = {}  # of the sources
    in_lists = mutables.listed(schema.packages.values())
    for package in schema.packages.values():
        alias = package.alias
        out.write("src/" + descriptors.descriptor_include(package), descriptors.header(package))
        includes = "".join(f'#include "{descriptors.descriptor_include(p)}"\n'
                           for p in [package, *descriptors.dependencies(package)])
        text = includes + "\n"
        if alias in META:
            out.write(f"src/object/block/{alias}_descriptors.inc",
                      descriptors.HEADER + text + descriptors.body(package))
        else:
            text += descriptors.body(package)
        text += descriptors.kind_infos(package, schema.resources)
        if views.views_of(package):
            out.write(f"include/kinformer/api/{alias}.h", views.header(schema, package))
            text = f'#include "kinformer/api/{alias}.h"\n\n' + text + views.source(schema, package)
        texts.setdefault(f"src/api/{source_name(package)}.cc", []).append(text)
        if mutables.structs_of(package):
            out.write(f"include/kinformer/api/{alias}_mutable.h", mutables.header(package))
            out.write(f"include/kinformer/api/structs/{alias}.h", mutables.structs_header(package))
            out.write(f"src/{mutables.tables_include(package)}", mutables.tables_header(package))
            path = f"src/api/{source_name(package)}_mutable.cc"
            texts.setdefault(path, []).append(mutables.source(package, in_lists))
    structs = [p.alias for p in schema.packages.values()
               if mutables.structs_of(p) and views.views_of(p)]
    public = pathlib.Path(__file__).parent.parent / "include" / "kinformer"
    for path, text in umbrellas.headers(structs, public).items():
        out.write(f"include/kinformer/{path}", text)
    sources = list(texts)
    for name, parts in texts.items():
        out.write(name, descriptors.HEADER + "\n".join(parts))
    out.write("src/api/registry_tables.cc", registry.source(schema))
    out.write("include/kinformer/factory_accessors.h", accessors.header(schema))
    for path, text in accessors.lister_headers(schema).items():
        out.write(f"include/kinformer/{path}", text)
    out.write("include/kinformer/internal/factory_groups.h", accessors.groups_header(schema))
    versions = clientset.versions_of(schema)
    for method, package, kinds in versions:
        out.write(f"include/kinformer/clientset/{package.alias}.h",
                  clientset.header(method, package, kinds))
    for package in applyconfig.packages_of(schema, versions):
        out.write(f"include/kinformer/applyconfig/{package.alias}.h",
                  applyconfig.header(schema, package))
    out.write("include/kinformer/clientset/all.h", clientset.all_header(versions))
    out.write("include/kinformer/internal/clientset_versions.h", clientset.versions_header(schema))
    out.write("src/testing/clientset_inventory.inc", clientset.inventory(versions))
    out.write("src/apiserver/builtin/defaults_table.inc", defaults.source(sys.argv[1], schema))
    out.write("src/apiserver/builtin/required_table.inc", required.source(sys.argv[1], schema))
    out.write("src/apiserver/builtin/value_table.inc", values.source(sys.argv[1], schema))
    listing = "".join(f'  "${{KINFORMER_GENERATED}}/{s}"\n' for s in sources)
    out.write("sources.cmake", f"set(KINFORMER_API_SOURCES\n{listing})\n")
    out.remove_others()


if __name__ == "__main__":
    main()
