// apiserver/request/list_order.h
//
// Identity of the elements of a list, and the order of a list after a strategic merge patch with
// $setElementOrder.

#ifndef KINFORMER_APISERVER_REQUEST_LIST_ORDER_H_
#define KINFORMER_APISERVER_REQUEST_LIST_ORDER_H_

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Members that identify the elements of a list; none: the elements are scalars, identified by their
// values.
struct ElementKey {
  std::vector<std::string_view> members{};
};

// Returns the identity of an element: equal for equal keys and scalars. 1, 1.0 and 1e0 are equal
// numbers. An absent protocol equals TCP, as in the API.
std::string IdentityOf(const ElementKey& key, const json::Value& element);

// Index of the first element of each identity.
using Places = std::map<std::string, std::size_t>;
Places PlacesOf(const ElementKey& key, std::span<const json::Value> elements);

// Sorts the elements named in `wanted` by that order, and all others by their order in `before`.
// Elements with equal keys stay together. Each of the others is placed before the first wanted
// element that it preceded in `before`; if the relative order of two elements is unknown, the
// wanted one is first.
void OrderElements(const ElementKey& key, const Places& wanted, const Places& before,
                   json::Array& list);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_LIST_ORDER_H_
