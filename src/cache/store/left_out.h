// cache/store/left_out.h
//
// LeftOut: objects that exist, but were left out of a full store.

#ifndef KINFORMER_CACHE_STORE_LEFT_OUT_H_
#define KINFORMER_CACHE_STORE_LEFT_OUT_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "cache/store/key_set.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

// Holds their keys by place. A store that lists each namespace separately has one place per
// namespace, plus kOtherNamespaces if it lists all others together. A store with a single place
// uses the key "", even if that place spans many namespaces. A value type: copies share memory as
// copies of a KeySet do.
class LeftOut {
 public:
  // Returns false if the key was there already. `place`: a namespace, kOtherNamespaces, or "".
  bool Insert(std::string_view place, std::string_view namespace_, std::string_view name) {
    auto found = places_.find(place);
    if (found == places_.end()) found = places_.emplace(place, KeySet()).first;
    return found->second.Insert(namespace_, name);
  }
  bool Erase(std::string_view namespace_, std::string_view name) {
    if (places_.empty()) return false;
    const bool of_all = EraseIn("", namespace_, name);
    const bool of_others = EraseIn(kOtherNamespaces, namespace_, name);
    return EraseIn(namespace_, namespace_, name) || of_all || of_others;
  }
  // Replaces the keys of a place. "": replaces the keys of all places.
  void Assign(std::string_view place, KeySet keys) {
    if (place.empty()) places_.clear();
    if (const auto found = places_.find(place); found != places_.end()) places_.erase(found);
    if (!keys.empty()) places_.emplace(place, std::move(keys));
  }
  // Drops every place for which `kept` returns false. Returns whether any was dropped.
  bool KeepPlaces(const std::function<bool(const std::string& place)>& kept) {
    return std::erase_if(places_, [&](const auto& one) { return !kept(one.first); }) != 0;
  }

  [[nodiscard]] bool Contains(std::string_view namespace_, std::string_view name) const {
    return !places_.empty() &&
           (ContainsIn(namespace_, namespace_, name) || ContainsIn("", namespace_, name) ||
            ContainsIn(kOtherNamespaces, namespace_, name));
  }
  [[nodiscard]] bool empty() const { return places_.empty(); }
  // Returns the number of keys in all places.
  [[nodiscard]] std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& [place, keys] : places_) sum += keys.size();
    return sum;
  }
  // Returns the number of keys in one place; "": in all.
  [[nodiscard]] std::size_t SizeOf(std::string_view place) const {
    if (place.empty()) return size();
    const auto found = places_.find(place);
    return found == places_.end() ? 0 : found->second.size();
  }

 private:
  bool EraseIn(std::string_view place, std::string_view namespace_, std::string_view name) {
    const auto found = places_.find(place);
    if (found == places_.end() || !found->second.Erase(namespace_, name)) return false;
    if (found->second.empty()) places_.erase(found);
    return true;
  }
  [[nodiscard]] bool ContainsIn(std::string_view place, std::string_view namespace_,
                                std::string_view name) const {
    const auto found = places_.find(place);
    return found != places_.end() && found->second.Contains(namespace_, name);
  }

  std::map<std::string, KeySet, std::less<>> places_;  // without empty sets
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_LEFT_OUT_H_
