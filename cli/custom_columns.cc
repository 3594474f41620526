#include "cli/custom_columns.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>

#include "cli/go_value.h"

namespace kinformer::cli {
namespace {

Error Invalid(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

std::vector<std::string> Words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

Result<void> CustomColumns::Add(std::string_view title, std::string_view path) {
  const Result<std::string> text = json::RelaxedJSONPathExpression(path);
  if (!text) return Invalid("column " + std::string(title) + ": " + text.error().message());
  Result<json::JSONPath> parsed = json::JSONPath::Parse(*text, {.allow_missing_keys = true});
  if (!parsed) {
    return Invalid("column " + std::string(title) + ": " + *text + ": " + parsed.error().message());
  }
  titles_.emplace_back(title);
  paths_.push_back(*std::move(parsed));
  return {};
}

Result<CustomColumns> CustomColumns::Parse(std::string_view text) {
  CustomColumns columns;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view column = text.substr(at, end - at);
    at = end + 1;
    const std::size_t colon = column.find(':');
    if (colon == std::string_view::npos) {
      return Invalid("custom column \"" + std::string(column) +
                     "\" is not TITLE:PATH, such as NAME:.metadata.name");
    }
    if (Result<void> added = columns.Add(column.substr(0, colon), column.substr(colon + 1));
        !added) {
      return std::move(added).error();
    }
  }
  return columns;
}

Result<CustomColumns> CustomColumns::ParseFile(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::string first;
  std::string second;
  std::getline(in, first);
  std::getline(in, second);
  const std::vector<std::string> titles = Words(first);
  const std::vector<std::string> paths = Words(second);
  if (titles.empty()) return Invalid("its first line has no titles");
  if (titles.size() != paths.size()) {
    return Invalid("it has " + std::to_string(titles.size()) + " titles, but " +
                   std::to_string(paths.size()) + " paths in the line below");
  }
  CustomColumns columns;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    if (Result<void> added = columns.Add(titles[i], paths[i]); !added) {
      return std::move(added).error();
    }
  }
  return columns;
}

Result<std::vector<std::string>> CustomColumns::Cells(const json::Value& object) const {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const auto results = paths_[i].FindResults(object);
    if (!results) return Invalid("column " + titles_[i] + ": " + results.error().message());
    std::string cell;
    bool empty = true;
    for (const auto& found : *results) {
      for (const json::Value* value : found) {
        cell += (empty ? "" : ",") + GoText(*value);
        empty = false;
      }
    }
    cells.push_back(empty ? "<none>" : std::move(cell));
  }
  return cells;
}

}  // namespace kinformer::cli
