// cache/store/coverage.h
//
// Coverage: what one version of a store may be taken to say of an object that it does not hold.
//
// It is part of a version, as the objects are: who reads both from one version never takes an
// object for missing that came a moment later.

#ifndef KINFORMER_CACHE_STORE_COVERAGE_H_
#define KINFORMER_CACHE_STORE_COVERAGE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cache/store/left_out.h"
#include "cache/store/name_set.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

// Which objects a store looks at.
struct Scope {
  // Empty: all, or cluster scope.
  std::string namespace_{};
  // Of all namespaces, not in these.
  std::set<std::string, std::less<>> without{};
  // Empty: all.
  std::string name{};
  // What else an object must satisfy, for messages: label selector "app=web". Empty: nothing.
  std::string conditions{};
  // The same as selectors, in the API's syntax. Of the field selector without what the name and the
  // namespace say already.
  std::string label_selector{};
  std::string field_selector{};

  bool operator==(const Scope&) const = default;

  [[nodiscard]] bool Includes(std::string_view object_namespace) const {
    return (namespace_.empty() || namespace_ == object_namespace) &&
           !without.contains(object_namespace);
  }
};

// One of several places that a store looks at.
struct Place {
  // All objects in its scope are in the store.
  bool complete = false;
  // They begin a new one one after the other.
  std::uint64_t epoch = 0;
  // Each has selectors of its own. Null: everything that is there.
  std::shared_ptr<const Scope> scope{};
};

// The namespaces that a store looks at one by one.
struct NamespaceSet {
  // By the namespace; kOtherNamespaces: all that are not named here.
  std::map<std::string, Place, std::less<>> places{};
  // They are not a choice, but what exists: in other namespaces there is nothing.
  bool all = false;
  // It is known which those are.
  bool known = true;

  // Where the objects of that namespace belong; null: the store does not look there.
  [[nodiscard]] const Place* PlaceOf(std::string_view namespace_) const {
    auto found = places.find(namespace_);
    if (found == places.end()) found = places.find(kOtherNamespaces);
    return found == places.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::optional<std::uint64_t> EpochOf(std::string_view namespace_) const {
    const Place* const place = PlaceOf(namespace_);
    return place == nullptr ? std::nullopt : std::optional(place->epoch);
  }
  // The key of that place, for what else is kept of each.
  [[nodiscard]] std::string_view KeyOf(std::string_view namespace_) const {
    const bool of_others = !places.contains(namespace_) && places.contains(kOtherNamespaces);
    return of_others ? kOtherNamespaces : namespace_;
  }
};

// Immutable once a version has it.
struct Coverage {
  // Of the one place that the store looks at, where it is one.
  Scope scope{};
  // Null: it is one.
  std::shared_ptr<const NamespaceSet> namespaces{};
  // All objects in scope are in the store or unreadable, or left out and nobody minds: the first
  // list, of each namespace, has been applied.
  bool complete = false;
  // Objects that exist, but whose bytes are malformed. Of some the store has an earlier state,
  // which is not what they are now. Null: none.
  std::shared_ptr<const NameSet> unreadable{};

  // Objects that exist, but find no room in the store. Null: none.
  std::shared_ptr<const LeftOut> left_out{};

  [[nodiscard]] bool IsLeftOut(std::string_view namespace_, std::string_view name) const {
    return left_out != nullptr && left_out->Contains(namespace_, name);
  }
  // Which objects of that namespace it looks at, if it looks there.
  [[nodiscard]] const Scope& ScopeOf(std::string_view namespace_) const {
    const Place* const place = namespaces == nullptr ? nullptr : namespaces->PlaceOf(namespace_);
    return place == nullptr || place->scope == nullptr ? scope : *place->scope;
  }
  [[nodiscard]] bool Includes(std::string_view namespace_) const {
    if (namespaces == nullptr) return scope.Includes(namespace_);
    const Place* const place = namespaces->PlaceOf(namespace_);
    if (place == nullptr) return namespaces->all;
    return place->scope == nullptr || place->scope->Includes(namespace_);
  }
  [[nodiscard]] bool Includes(std::string_view namespace_, std::string_view name) const {
    if (!Includes(namespace_)) return false;
    const std::string& only = ScopeOf(namespace_).name;
    return only.empty() || only == name;
  }
  // Is what there is of that namespace in the store? Empty: of all.
  [[nodiscard]] bool IsComplete(std::string_view namespace_) const {
    if (complete || namespaces == nullptr || namespace_.empty()) return complete;
    if (const Place* const place = namespaces->PlaceOf(namespace_)) return place->complete;
    return namespaces->all && namespaces->known;
  }
  [[nodiscard]] bool IsUnreadable(std::string_view namespace_, std::string_view name) const {
    return unreadable != nullptr && unreadable->contains(BorrowedName{namespace_, name});
  }
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_COVERAGE_H_
