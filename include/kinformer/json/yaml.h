// kinformer/json/yaml.h
//
// YAML as Kubernetes reads and writes it: conversion between manifests and json::Value.
//
// Text is read as by kubectl and kube-apiserver: YAML 1.1 as in libyaml and Go's yaml.v2. Plain
// scalars are null, true/yes/on/y and false/no/off/n in their spellings (as keys too), integers in
// base 10, 16 (0x), 8 (0o, or a leading 0) and 2 (0b), and floats; all others, dates included, are
// strings. Quoted and block scalars are strings, !!binary is decoded. Anchors, aliases and merge
// keys (<<) work. If a key occurs twice in a map, the last value counts. docs/guide/yaml.md lists
// differences to the originals.

#ifndef KINFORMER_JSON_YAML_H_
#define KINFORMER_JSON_YAML_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::yaml {

// Parses one document (JSON is YAML too), as kube-apiserver reads a body and client-go a
// kubeconfig. Empty text is null. Several documents are an error. Errors are kDecode and name line
// and column: "deploy.yaml:3:5: ..." if `file` is given, which has no other use, otherwise "YAML,
// line 3, column 5: ...". `repeated`, if not null, receives a message for each duplicate key, as
// from Go's reader: `line 8: key "a" already set in map`; in the order of the text, but for a map
// inside another before the outer one's.
Result<json::Value> Parse(std::string_view text, std::string_view file = {},
                          std::vector<std::string>* repeated = nullptr);

// Parses all documents of a stream, as kubectl reads a file: separated by lines that begin with
// "---", or consecutive JSON objects; the last line need not end. Documents without content are
// omitted.
Result<std::vector<json::Value>> ParseAll(std::string_view text, std::string_view file = {},
                                          std::vector<std::string>* repeated = nullptr);

// A document of a stream.
struct Document {
  json::Value value{};
  std::size_t line = 1;  // where it begins
};

// Returns the documents of ParseAll, each with its line.
Result<std::vector<Document>> ParseDocuments(std::string_view text, std::string_view file = {},
                                             std::vector<std::string>* repeated = nullptr);

// Writes YAML as sigs.k8s.io/yaml does, and so kubectl -o yaml: block style, two spaces, keys
// sorted (a2 before a10), lists indented as their key, quotes where YAML 1.1 would read another
// value, multi-line texts as blocks, lines folded after column 80. Numbers keep their digits.
// Control characters, and line breaks of some readers, are escaped. Ends with a newline.
std::string Dump(const json::Value& value);

}  // namespace kinformer::yaml

#endif  // KINFORMER_JSON_YAML_H_
