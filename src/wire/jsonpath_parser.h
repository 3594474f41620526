// wire/jsonpath_parser.h
//
// The parts of a JSONPath template (kinformer/json/jsonpath.h), and their parser.

#ifndef KINFORMER_WIRE_JSONPATH_PARSER_H_
#define KINFORMER_WIRE_JSONPATH_PARSER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::wire {

// One step of a path.
struct PathStep {
  enum class Kind : std::uint8_t {
    kMember,     // name
    kEvery,      // every member or item: .*
    kRecursive,  // ..
    kSlice,      // from, to, by
    kUnion,      // unions
    kFilter,     // left, comparison, right
    kLiteral,    // literal
  };
  Kind kind = Kind::kMember;
  std::string name{};
  std::optional<std::int64_t> from{};
  std::optional<std::int64_t> to{};
  std::optional<std::int64_t> by{};
  bool is_index = false;  // a slice of one item, `from`
  std::vector<std::vector<PathStep>> unions{};
  std::vector<PathStep> left{};
  std::string comparison{};  // empty: whether `left` finds something
  std::vector<PathStep> right{};
  json::Value literal{};
};
using PathSteps = std::vector<PathStep>;

// A text or an action; with a body, a range.
struct PathItem {
  PathSteps steps{};
  bool is_range = false;
  std::vector<PathItem> body{};
};

struct PathTemplate {
  std::vector<PathItem> items{};
};

Result<PathTemplate> ParsePathTemplate(std::string_view text);

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSONPATH_PARSER_H_
