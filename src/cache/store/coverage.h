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
#include <string>
#include <string_view>

#include "cache/store/left_out.h"
#include "cache/store/name_set.h"

namespace kinformer::internal::cache {

// Which objects a store looks at.
struct Scope {
  // Empty: all, or cluster scope.
  std::string namespace_{};
  // Empty: all.
  std::string name{};
  // What else an object must satisfy, for messages: label selector "app=web". Empty: nothing.
  std::string conditions{};
  // The same as selectors, in the API's syntax. Of the field selector without what the name and the
  // namespace say already.
  std::string label_selector{};
  std::string field_selector{};

  [[nodiscard]] bool Includes(std::string_view object_namespace,
                              std::string_view object_name) const {
    return (namespace_.empty() || namespace_ == object_namespace) &&
           (name.empty() || name == object_name);
  }
};

// The namespaces that a store looks at one by one.
struct NamespaceSet {
  // With whether all objects of it are in the store.
  std::map<std::string, bool, std::less<>> complete{};
  // In which epoch each of them is: they begin a new one one after the other.
  std::map<std::string, std::uint64_t, std::less<>> epochs{};
  // They are not a choice, but what exists: in other namespaces there is nothing.
  bool all = false;
  // It is known which those are.
  bool known = true;

  // None: the store does not look there.
  [[nodiscard]] std::optional<std::uint64_t> EpochOf(std::string_view namespace_) const {
    const auto found = epochs.find(namespace_);
    return found == epochs.end() ? std::nullopt : std::optional(found->second);
  }
};

// Immutable once a version has it.
struct Coverage {
  Scope scope{};
  // Null: one place, which is scope.namespace_.
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
  [[nodiscard]] bool Includes(std::string_view namespace_) const {
    if (namespaces == nullptr) return scope.namespace_.empty() || scope.namespace_ == namespace_;
    return namespaces->all || namespaces->complete.contains(namespace_);
  }
  [[nodiscard]] bool Includes(std::string_view namespace_, std::string_view name) const {
    return Includes(namespace_) && (scope.name.empty() || scope.name == name);
  }
  // Is what there is of that namespace in the store? Empty: of all.
  [[nodiscard]] bool IsComplete(std::string_view namespace_) const {
    if (complete || namespaces == nullptr || namespace_.empty()) return complete;
    const auto found = namespaces->complete.find(namespace_);
    if (found != namespaces->complete.end()) return found->second;
    return namespaces->all && namespaces->known;
  }
  [[nodiscard]] bool IsUnreadable(std::string_view namespace_, std::string_view name) const {
    return unreadable != nullptr && unreadable->contains(BorrowedName{namespace_, name});
  }
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_COVERAGE_H_
