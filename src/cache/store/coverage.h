// cache/store/coverage.h
//
// Coverage: which objects one version of a store holds, and what their absence means.
//
// Coverage is part of a version, as the objects are. A caller that reads both from one version
// never reports an object as missing that was added a moment later.

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

// Selects the objects that a store holds.
struct Scope {
  // One namespace. Empty: all namespaces, or a cluster-scoped resource.
  std::string namespace_{};
  // Namespaces left out when namespace_ is empty.
  std::set<std::string, std::less<>> without{};
  // Name of the only object. Empty: every name.
  std::string name{};
  // Further conditions as text for messages: label selector "app=web". Empty: none.
  std::string conditions{};
  // The same conditions as selectors in the API's syntax. The field selector does not repeat the
  // name and the namespace from above.
  std::string label_selector{};
  std::string field_selector{};
  std::string shard_selector{};

  bool operator==(const Scope&) const = default;

  [[nodiscard]] bool Includes(std::string_view object_namespace) const {
    return (namespace_.empty() || namespace_ == object_namespace) &&
           !without.contains(object_namespace);
  }
};

// State of one of the places (namespaces) of a store that lists and watches them separately.
struct Place {
  // True if all objects in its scope are in the store.
  bool complete = false;
  // Each place enters a new epoch on its own.
  std::uint64_t epoch = 0;
  // The selectors of this place. Null: it selects every object.
  std::shared_ptr<const Scope> scope{};
};

// The namespaces of a store that lists and watches each of them separately.
struct NamespaceSet {
  // Places by namespace; kOtherNamespaces stands for all namespaces without a place of their own.
  std::map<std::string, Place, std::less<>> places{};
  // True if these are all namespaces that exist: any other namespace is empty.
  bool all = false;
  // True once the list of namespaces is known.
  bool known = true;

  // Returns the place that holds the objects of the namespace; null if the store has none for it.
  [[nodiscard]] const Place* PlaceOf(std::string_view namespace_) const {
    auto found = places.find(namespace_);
    if (found == places.end()) found = places.find(kOtherNamespaces);
    return found == places.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::optional<std::uint64_t> EpochOf(std::string_view namespace_) const {
    const Place* const place = PlaceOf(namespace_);
    return place == nullptr ? std::nullopt : std::optional(place->epoch);
  }
};

// Immutable once a version has it.
struct Coverage {
  // Scope of a store with a single place; default of a place that has no scope.
  Scope scope{};
  // Places of a store with several; null if it has a single one.
  std::shared_ptr<const NamespaceSet> namespaces{};
  // True if the first list of every place is applied: every object in scope is in the store, is
  // known to be unreadable, or was left out under a policy that permits it.
  bool complete = false;
  // Objects that exist, but whose bytes are malformed. The store may hold an earlier, outdated
  // state of them. Null: none.
  std::shared_ptr<const NameSet> unreadable{};

  // Objects that exist, but were left out because the store is full. Null: none.
  std::shared_ptr<const LeftOut> left_out{};

  [[nodiscard]] bool IsLeftOut(std::string_view namespace_, std::string_view name) const {
    return left_out != nullptr && left_out->Contains(namespace_, name);
  }
  // Returns the scope that applies to objects of the namespace.
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
  // Returns whether all objects of the namespace are in the store. Empty: of all namespaces.
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
