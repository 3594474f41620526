// cache/store/left_out.h
//
// LeftOut: which objects exist, but find no room in a store.

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

// Their keys, apart for each namespace where a store looks at namespaces one by one, since each of
// these is listed by itself, and for all others together (kOtherNamespaces) where it looks at
// these, too; under "" where it looks at one place, however many namespaces that has. A value,
// copied and shared as a KeySet is.
class LeftOut {
 public:
  // `place`: the namespace, kOtherNamespaces, or "".
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
  // What is left out of that place now. "": of all.
  void Assign(std::string_view place, KeySet keys) {
    if (place.empty()) places_.clear();
    if (const auto found = places_.find(place); found != places_.end()) places_.erase(found);
    if (!keys.empty()) places_.emplace(place, std::move(keys));
  }
  // Drops the places that are not kept. Gives whether there were any.
  bool KeepPlaces(const std::function<bool(const std::string& place)>& kept) {
    return std::erase_if(places_, [&](const auto& one) { return !kept(one.first); }) != 0;
  }

  [[nodiscard]] bool Contains(std::string_view namespace_, std::string_view name) const {
    return !places_.empty() &&
           (ContainsIn(namespace_, namespace_, name) || ContainsIn("", namespace_, name) ||
            ContainsIn(kOtherNamespaces, namespace_, name));
  }
  [[nodiscard]] bool empty() const { return places_.empty(); }
  // Of all places.
  [[nodiscard]] std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& [place, keys] : places_) sum += keys.size();
    return sum;
  }
  // Of one; "": of all.
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

  std::map<std::string, KeySet, std::less<>> places_;  // none of them empty
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_LEFT_OUT_H_
