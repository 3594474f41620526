// cache/store/name_set.h
//
// NameSet: names of objects, in order, that are looked up without making an ObjectName.

#ifndef KINFORMER_CACHE_STORE_NAME_SET_H_
#define KINFORMER_CACHE_STORE_NAME_SET_H_

#include <set>
#include <string_view>
#include <tuple>

#include "kinformer/object_name.h"

namespace kinformer::internal::cache {

// An ObjectName that somebody else's bytes hold.
struct BorrowedName {
  std::string_view namespace_{};
  std::string_view name{};
};

struct NameOrder {
  using is_transparent = void;
  template <class A, class B>
  [[nodiscard]] bool operator()(const A& a, const B& b) const {
    return std::tuple<std::string_view, std::string_view>(a.namespace_, a.name) <
           std::tuple<std::string_view, std::string_view>(b.namespace_, b.name);
  }
};

using NameSet = std::set<ObjectName, NameOrder>;

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_NAME_SET_H_
