#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/sinks/database_options.h"

#include "sinks/tables/field_path.h"

namespace kinformer {
namespace {

Error Wrong(std::string_view column, const std::string& why) {
  return {Reason::kInvalidArgument, "column \"" + std::string(column) + "\": " + why};
}

// Returns the end of a column that begins at `at`: the comma behind it that no quotes enclose.
std::size_t EndOfColumn(std::string_view text, std::size_t at) {
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ',') {
      break;
    }
  }
  return at;
}

}  // namespace

Result<std::vector<SinkColumn>> ParseSinkColumns(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) {
    return Wrong(text, "the resource is missing: write pods:node=.spec.nodeName");
  }
  const std::string resource(text.substr(0, colon));
  std::vector<SinkColumn> columns;
  for (std::size_t at = colon + 1; at <= text.size();) {
    const std::size_t end = EndOfColumn(text, at);
    const std::string_view column = text.substr(at, end - at);
    const std::size_t equals = column.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return Wrong(column, "write NAME=PATH, such as node=.spec.nodeName");
    }
    SinkColumn read{.resource = resource,
                    .name = std::string(column.substr(0, equals)),
                    .path = std::string(column.substr(equals + 1))};
    if (auto path = internal::sinks::ParseFieldPath(read.path); !path) {
      return Wrong(column, path.error().message());
    }
    columns.push_back(std::move(read));
    at = end + 1;
  }
  return columns;
}

}  // namespace kinformer
