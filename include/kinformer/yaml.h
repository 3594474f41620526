// kinformer/yaml.h
//
// YAML as Kubernetes reads and writes it: manifests into json::Value and back.
//
// Texts are read as kubectl and kube-apiserver read them: YAML 1.1 as libyaml and Go's yaml.v2 have
// it. Plain scalars are null, true/yes/on/y and false/no/off/n in their spellings (as keys, too),
// integers in base 10, 16 (0x), 8 (0o, or a leading 0) and 2 (0b), floats; everything else, dates
// included, is a string. Quoted scalars and block scalars are strings, !!binary is decoded.
// Anchors, aliases and merge keys (<<) work. Where a key occurs twice in a map, the last value
// counts. docs/yaml.md lists where ours differ.

#ifndef KINFORMER_YAML_H_
#define KINFORMER_YAML_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::yaml {

// One document (JSON is YAML, too), as kube-apiserver reads a body and client-go a kubeconfig.
// Empty text gives null. Several documents are an error. Errors are kDecode and name the line and
// column: "deploy.yaml:3:5: ..." where `file` is given, which is only used for that, "YAML, line 3,
// column 5: ..." else. `repeated`, where it is given, says of each key that occurs twice, as Go's
// reader does: `line 8: key "a" already set in map`; those of one map in the order of the text, and
// of a map inside another before the outer one's.
Result<json::Value> Parse(std::string_view text, std::string_view file = {},
                          std::vector<std::string>* repeated = nullptr);

// All documents of a stream, as kubectl reads a file: parted by lines that begin with "---", or
// objects of JSON one behind the other; the last line counts as ended. Documents without content
// are left out.
Result<std::vector<json::Value>> ParseAll(std::string_view text, std::string_view file = {},
                                          std::vector<std::string>* repeated = nullptr);

// One document of a stream.
struct Document {
  json::Value value{};
  std::size_t line = 1;  // on which it begins
};

// The documents that ParseAll gives, each with its line.
Result<std::vector<Document>> ParseDocuments(std::string_view text, std::string_view file = {},
                                             std::vector<std::string>* repeated = nullptr);

// What sigs.k8s.io/yaml writes, and so kubectl with -o yaml: block style, two spaces, keys sorted
// (a2 before a10), lists level with their key, quotes where YAML 1.1 would read something else,
// texts of several lines as blocks, lines folded behind column 80. Numbers keep their digits. What
// terminals obey and what ends lines for some readers only is escaped. Ends with a newline.
std::string Dump(const json::Value& value);

}  // namespace kinformer::yaml

#endif  // KINFORMER_YAML_H_
