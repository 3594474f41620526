#include "apiserver/ownership/list_problems.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/ownership/field_set.h"
#include "apiserver/schema/schema_fields.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

// Returns why an element of a list has no name; empty: it has one.
std::string Unnamed(const std::vector<std::string_view>& keys, const Value& item,
                    std::string_view name) {
  if (keys.empty()) {
    if (item.is_object()) return "associative list without keys has an element that's a map type";
    if (item.is_array()) return "not supported: associative list with lists as elements";
    return item.is_null() ? "associative list without keys has an element that's an explicit null"
                          : "";
  }
  if (item.is_null()) return "associative list with keys may not have a null element";
  if (!item.is_object()) return "associative list with keys may not have non-map elements";
  if (name != "k:{}") return {};
  std::string all;
  for (const std::string_view key : keys) all += (all.empty() ? "" : " ") + JsonString(key);
  return "associative list with keys has an element that omits all key fields [" + all +
         "] (and doesn't have default values for any key fields)";
}

class Finder {
 public:
  void Visit(const ValueShape& shape, const Value& value, const std::string& path) {
    if (value.is_object()) {
      for (const auto& [name, part] : value.members()) {
        if (left_ > 0) Visit(shape.Member(name), part, path + "." + name);
      }
    } else if (value.is_array()) {
      VisitItems(shape, value.items(), path);
    }
  }

  std::vector<std::string> Take() { return std::move(problems_); }

 private:
  void VisitItems(const ValueShape& shape, const json::Array& items, const std::string& path) {
    const bool merges = shape.MergesItems();
    const std::vector<std::string_view> keys = shape.Keys();
    std::set<std::string> seen;
    for (std::size_t i = 0; i < items.size() && left_ > 0; ++i) {
      std::string place = "[" + std::to_string(i) + "]";
      if (merges) {
        std::string name;
        shape.AppendName(keys, items[i], name);
        if (const std::string why = Unnamed(keys, items[i], name); !why.empty()) {
          Add(path + ": element " + std::to_string(i) + ": " + why);
          return;
        }
        Spend(name.size());
        place = PathElement(name);
        if (!seen.insert(std::move(name)).second) {
          Add(path + ": duplicate entries for key " + place);
        }
      }
      Visit(shape.Item(), items[i], path + place);
    }
  }

  void Add(std::string problem) {
    Spend(problem.size());
    problems_.push_back(std::move(problem));
  }
  void Spend(std::size_t bytes) { left_ -= std::min(left_, bytes); }

  std::size_t left_ = kMaxDefaultBytes;
  std::vector<std::string> problems_{};
};

}  // namespace

std::vector<std::string> ListProblems(const ValueShape& shape, const Value& declared) {
  Finder finder;
  finder.Visit(shape, declared, {});
  return finder.Take();
}

}  // namespace kinformer::apiserver
