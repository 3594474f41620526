#include "apiserver/ownership/list_problems.h"

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/ownership/field_set.h"

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
        Visit(shape.Member(name), part, path + "." + name);
      }
    } else if (value.is_array()) {
      VisitItems(shape, value.items(), path);
    }
  }

  std::vector<std::string> Take() { return std::move(problems_); }

 private:
  void VisitItems(const ValueShape& shape, const json::Array& items, const std::string& path) {
    const auto names = shape.NamesOf(items);
    const std::vector<std::string_view> keys = shape.Keys();
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::string place = "[" + std::to_string(i) + "]";
      if (names) {
        const std::string& name = (*names)[i];
        if (const std::string why = Unnamed(keys, items[i], name); !why.empty()) {
          problems_.push_back(path + ": element " + std::to_string(i) + ": " + why);
          return;
        }
        place = PathElement(name);
        if (!seen.insert(name).second) {
          problems_.push_back(path + ": duplicate entries for key " + place);
        }
      }
      Visit(shape.Item(), items[i], path + place);
    }
  }

  std::vector<std::string> problems_{};
};

}  // namespace

std::vector<std::string> ListProblems(const ValueShape& shape, const Value& declared) {
  Finder finder;
  finder.Visit(shape, declared, {});
  return finder.Take();
}

}  // namespace kinformer::apiserver
