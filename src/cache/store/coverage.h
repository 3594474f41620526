// cache/store/coverage.h
//
// Coverage: what one version of a store may be taken to say of an object that it does not hold.
//
// It is part of a version, as the objects are: who reads both from one version never takes an
// object for missing that came a moment later.

#ifndef KINFORMER_CACHE_STORE_COVERAGE_H_
#define KINFORMER_CACHE_STORE_COVERAGE_H_

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "kinformer/object_name.h"

namespace kinformer::internal::cache {

// Which objects a store looks at.
struct Scope {
  // Empty: all, or cluster scope.
  std::string namespace_{};
  // Empty: all.
  std::string name{};
  // What else an object must satisfy, for messages: label selector "app=web". Empty: nothing.
  std::string conditions{};

  [[nodiscard]] bool Includes(std::string_view object_namespace,
                              std::string_view object_name) const {
    return (namespace_.empty() || namespace_ == object_namespace) &&
           (name.empty() || name == object_name);
  }
};

// Immutable once a version has it.
struct Coverage {
  Scope scope{};
  // All objects in scope are in the store or unreadable: the first list has been applied.
  bool complete = false;
  // Objects that exist, but whose bytes are malformed. Of some the store has an earlier state,
  // which is not what they are now. Null: none.
  std::shared_ptr<const std::set<ObjectName>> unreadable{};

  [[nodiscard]] bool IsUnreadable(std::string_view namespace_, std::string_view name) const {
    return unreadable != nullptr &&
           unreadable->contains(ObjectName{std::string(namespace_), std::string(name)});
  }
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_COVERAGE_H_
