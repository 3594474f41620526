#include "cli/sorting.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/json/jsonpath.h"
#include "kinformer/object/quantity.h"

namespace kinformer::cli {
namespace {

// The value of one object.
struct Key {
  std::size_t position = 0;
  const json::Value* value = nullptr;  // null: none
  std::optional<resource::Quantity> quantity{};
};

Error Invalid(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

Result<json::JSONPath> ParsePath(std::string_view path) {
  const Result<std::string> text = json::RelaxedJSONPathExpression(path);
  if (!text) return Invalid("--sort-by: " + std::string(text.error().message()));
  Result<json::JSONPath> parsed = json::JSONPath::Parse(*text, {.allow_missing_keys = true});
  if (!parsed) return Invalid("--sort-by: " + *text + ": " + parsed.error().message());
  return parsed;
}

// Types in this order, where they differ.
int Rank(const json::Value& value) {
  if (value.is_null()) return 0;
  return value.is_bool() ? 1 : value.is_number() ? 2 : 3;
}

bool Before(const Key& a, const Key& b) {
  const json::Value none;
  const json::Value& left = a.value == nullptr ? none : *a.value;
  const json::Value& right = b.value == nullptr ? none : *b.value;
  if (Rank(left) != Rank(right)) return Rank(left) < Rank(right);
  if (left.is_number()) {
    const auto x = left.AsInt64();
    const auto y = right.AsInt64();
    return x && y ? *x < *y : left.AsDouble().value_or(0) < right.AsDouble().value_or(0);
  }
  if (left.is_bool()) return !*left.AsBool() && *right.AsBool();
  if (a.quantity && b.quantity) return *a.quantity < *b.quantity;
  return left.StringOrEmpty() < right.StringOrEmpty();
}

}  // namespace

Result<void> CheckSortBy(std::string_view path) {
  Result<json::JSONPath> parsed = ParsePath(path);
  if (!parsed) return std::move(parsed).error();
  return {};
}

Result<std::vector<std::size_t>> OrderBy(std::string_view path,
                                         const std::vector<const json::Value*>& objects) {
  const Result<json::JSONPath> parsed = ParsePath(path);
  if (!parsed) return parsed.error();
  std::vector<Key> keys;
  bool found_one = false;
  for (const json::Value* object : objects) {
    const auto results = parsed->FindResults(*object);
    if (!results) return Invalid("--sort-by: " + std::string(results.error().message()));
    Key key{.position = keys.size()};
    if (!results->front().empty()) {
      key.value = results->front().front();
      found_one = true;
      if (key.value->is_object() || key.value->is_array()) {
        return Invalid("--sort-by: the value at " + std::string(path) + " is no text or number, " +
                       "but an " + std::string(json::TypeName(key.value->type())));
      }
      if (const auto text = key.value->AsString()) {
        if (Result<resource::Quantity> amount = resource::Quantity::Parse(*text)) {
          key.quantity = *std::move(amount);
        }
      }
    }
    keys.push_back(std::move(key));
  }
  if (!found_one && !objects.empty()) {
    return Invalid("--sort-by: no object has a value at " + std::string(path));
  }
  // Amounts and other texts have no common order.
  const bool amounts = std::all_of(keys.begin(), keys.end(), [](const Key& key) {
    return key.quantity || key.value == nullptr || !key.value->is_string();
  });
  if (!amounts) {
    for (Key& key : keys) key.quantity.reset();
  }
  std::stable_sort(keys.begin(), keys.end(), Before);
  std::vector<std::size_t> order;
  order.reserve(keys.size());
  for (const Key& key : keys) order.push_back(key.position);
  return order;
}

}  // namespace kinformer::cli
