"""Emits headers that include others: one for each group, one for all kinds, one for the library,
and one for everything."""

import pathlib
import re

from descriptors import HEADER


def _header(path, what, includes):
    guard = "KINFORMER_" + re.sub(r"[^A-Z]", "_", path.upper()) + "_"
    lines = "".join(f'#include "kinformer/{i}"\n' for i in includes)
    return (f"// kinformer/{path}\n//\n"
            f"// {what} docs/guide/tuning.md has what it costs to compile.\n//\n{HEADER}"
            f"#ifndef {guard}\n#define {guard}\n\n{lines}\n#endif  // {guard}\n")


def groups_of(aliases):
    """{"apps": ["appsv1", "appsv1beta1", ...]} of the packages' names."""
    groups = {}
    for alias in aliases:
        groups.setdefault(re.fullmatch(r"(.*?)v\d.*", alias)[1], []).append(alias)
    return groups


def headers(aliases, public):
    """{path below kinformer/: text}. `aliases` are packages with structs, `public` the folder of
    the library's own headers."""
    out = {}
    groups = groups_of(sorted(aliases))
    for group, versions in groups.items():
        out[f"api/{group}.h"] = _header(
            f"api/{group}.h", f"All versions of the group {group}: views and structs.",
            [f"api/{v}_mutable.h" for v in versions])
    out["api/all.h"] = _header("api/all.h", "All kinds: views and structs.",
                               [f"api/{g}.h" for g in groups])
    own = sorted({p.name for p in pathlib.Path(public).glob("*.h")} | {"factory_accessors.h"})
    out["kinformer.h"] = _header("kinformer.h", "The library, without kinds and API server.", own)
    out["all.h"] = _header("all.h", "The library with all kinds, without the API server.",
                           ["api/all.h", "kinformer.h"])
    return out
