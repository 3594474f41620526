"""kinformer_libraries: a library for each layer, and one for each component."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load(":generated.bzl", "generated")
load(":layers.bzl", "COMPONENTS", "LAYERS")

COPTS = ["-std=c++20"]

def _target(layer):
    return "kinformer_" + layer.replace("/", "_")

def _sources(layer):
    out = list(layer.get("srcs", []))
    if "folder" in layer:
        out += native.glob(
            [layer["folder"] + "/*.cc"],
            exclude = ["**/*_test.cc"] + layer.get("exclude", []),
        )
    return out + ["generated_" + name for name in layer.get("generated", [])]

def kinformer_libraries():
    """Declares the targets of the package at the root of the tree."""
    generated(
        name = "generated_files",
        inputs = native.glob([
            "codegen/*.py",
            "schema/*.tsv",
            "src/controller/debug/page*",
            "src/controller/debug/page/*",
        ]),
        script = "//packaging/bazel:generate.py",
    )
    for group in ["api", "headers", "page", "registry"]:
        native.filegroup(
            name = "generated_" + group,
            srcs = [":generated_files"],
            output_group = group,
        )

    # Layers include each other's headers by their paths below src and server.
    cc_library(
        name = "kinformer_headers",
        hdrs = native.glob([
            folder + "/**/*." + ending
            for folder in ["include", "src", "server"]
            for ending in ["h", "inc"]
        ]) + [":generated_headers"],
        includes = ["generated/include", "generated/src", "include", "server", "src"],
        linkopts = ["-pthread"],
    )
    for name, layer in LAYERS.items():
        cc_library(
            name = _target(name),
            srcs = _sources(layer),
            copts = COPTS,
            deps = [":kinformer_headers"] +
                   [_target(dependency) for dependency in layer.get("deps", [])] +
                   ["//packaging/bazel:" + library for library in layer.get("libs", [])],
        )
    for name, layers in COMPONENTS.items():
        cc_library(
            name = name,
            visibility = ["//visibility:public"],
            deps = [_target(layer) for layer in layers],
        )
