// kinformer/yaml.h
//
// YAML as Kubernetes reads and writes it: manifests into json::Value and back.
//
// Plain scalars are read as kubectl reads them: null, true/yes/on/y and false/no/off/n in their
// spellings (as keys, too), integers in base 10, 16 (0x), 8 (0o, or a leading 0) and 2 (0b),
// floats; everything else, dates included, is a string. Quoted scalars and block scalars are
// strings. Anchors, aliases and merge keys (<<) work. A key that occurs twice in a map is an error.

#ifndef KINFORMER_YAML_H_
#define KINFORMER_YAML_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::yaml {

// One document (JSON is YAML, too). Empty text gives null. Several documents are an error. Errors
// are kDecode and name the line and column: "deploy.yaml:3:5: ..." where `file` is given, which is
// only used for that, "YAML, line 3, column 5: ..." else.
Result<json::Value> Parse(std::string_view text, std::string_view file = {});

// The same, for those who take a key that occurs twice: its last value counts, and `repeated` says
// of each `line 8: key "a" already set in map`, as Go's reader does: those of one map in the order
// of the text, and of a map inside another before the outer one's.
Result<json::Value> ParseRepeated(std::string_view text, std::vector<std::string>& repeated);

// All documents of a stream, separated by "---" lines. Documents without content are left out.
Result<std::vector<json::Value>> ParseAll(std::string_view text, std::string_view file = {});

// What sigs.k8s.io/yaml writes, and so kubectl with -o yaml: block style, two spaces, keys sorted
// (a2 before a10), lists level with their key, quotes where YAML 1.1 would read something else,
// texts of several lines as blocks, lines folded behind column 80. Numbers keep their digits. What
// terminals obey and what ends lines for some readers only is escaped. Ends with a newline.
std::string Dump(const json::Value& value);

}  // namespace kinformer::yaml

#endif  // KINFORMER_YAML_H_
