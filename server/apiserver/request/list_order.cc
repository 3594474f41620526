#include "apiserver/request/list_order.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace kinformer::apiserver {
namespace {

std::string TextOf(const json::Value& value) {
  return value.is_number() && value.AsInt64() ? std::to_string(*value.AsInt64())
                                              : value.Dump({.sort_keys = true});
}

std::size_t PlaceIn(const Places& places, const std::string& identity, std::size_t unknown) {
  const auto found = places.find(identity);
  return found == places.end() ? unknown : found->second;
}

}  // namespace

std::string IdentityOf(const ElementKey& key, const json::Value& element) {
  if (key.members.empty()) return TextOf(element);
  std::string text;
  for (const std::string_view member : key.members) {
    if (!text.empty()) text += '/';
    const json::Value& value = element[member];
    text += value.is_null() && member == "protocol" ? "\"TCP\"" : TextOf(value);
  }
  return text;
}

Places PlacesOf(const ElementKey& key, std::span<const json::Value> elements) {
  Places places;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    places.emplace(IdentityOf(key, elements[i]), i);
  }
  return places;
}

void OrderElements(const ElementKey& key, const Places& wanted, const Places& before,
                   json::Array& list) {
  struct Placed {
    json::Value element;
    std::size_t rank;   // within its group
    std::size_t place;  // index in `before`
  };
  constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
  std::vector<Placed> named;
  std::vector<Placed> others;
  for (json::Value& element : list) {
    const std::string identity = IdentityOf(key, element);
    const std::size_t place = PlaceIn(before, identity, kUnknown);
    const std::size_t rank = PlaceIn(wanted, identity, kUnknown);
    if (rank == kUnknown) {
      others.push_back({std::move(element), place, place});
    } else {
      named.push_back({std::move(element), rank, place});
    }
  }
  const auto by_rank = [](const Placed& a, const Placed& b) { return a.rank < b.rank; };
  std::stable_sort(named.begin(), named.end(), by_rank);
  std::stable_sort(others.begin(), others.end(), by_rank);
  json::Array out;
  auto other = others.begin();
  for (Placed& mine : named) {
    while (mine.place < kUnknown && other != others.end() && other->place < mine.place) {
      out.push_back(std::move(other++->element));
    }
    out.push_back(std::move(mine.element));
  }
  for (; other != others.end(); ++other) out.push_back(std::move(other->element));
  list = std::move(out);
}

}  // namespace kinformer::apiserver
