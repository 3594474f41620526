// cache/store/name_set.h
//
// NameSet: an ordered set of object names; look-ups need not construct an ObjectName.

#ifndef KINFORMER_CACHE_STORE_NAME_SET_H_
#define KINFORMER_CACHE_STORE_NAME_SET_H_

#include <set>
#include <string_view>
#include <tuple>

#include "kinformer/object/object_name.h"

namespace kinformer::internal::cache {

// A name that refers to bytes owned by others.
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
