// apiserver/schema/apply_order.h
//
// Order of a list whose elements have identities, after a server-side apply has merged into it.

#ifndef KINFORMER_APISERVER_SCHEMA_APPLY_ORDER_H_
#define KINFORMER_APISERVER_SCHEMA_APPLY_ORDER_H_

#include <cstddef>
#include <string>
#include <vector>

namespace kinformer::apiserver {

// One element of the merged list.
struct AppliedElement {
  bool declared = false;  // the applied list has it, and perhaps the old one, too
  std::size_t index = 0;  // in the applied list if it is declared, otherwise in the old one
  bool operator==(const AppliedElement&) const = default;
};

// Returns the merged list. Each declared identity is in it once, and each element of the old list
// that is not declared. The order is that of kube-apiserver, whose algorithm this follows step by
// step. REQUIRES: no two of `declared` are equal.
[[nodiscard]] std::vector<AppliedElement> OrderOfApply(const std::vector<std::string>& old,
                                                       const std::vector<std::string>& declared);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_APPLY_ORDER_H_
