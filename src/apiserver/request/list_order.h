// apiserver/request/list_order.h
//
// What tells the elements of a list apart, and in which order they stand once a patch has gone into
// it.

#ifndef KINFORMER_APISERVER_REQUEST_LIST_ORDER_H_
#define KINFORMER_APISERVER_REQUEST_LIST_ORDER_H_

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"

namespace kinformer::apiserver {

// Names the members that tell the elements of one list apart; none: the elements are scalars, which
// are told apart by their values.
struct ElementKey {
  std::vector<std::string_view> members{};
};

// A text that tells an element from the others: equal for equal keys and scalars. 1, 1.0 and
// 1e0 are the same number. A protocol that is absent is TCP, as the API has it.
std::string IdentityOf(const ElementKey& key, const json::Value& element);

// Where the first element of each identity stands.
using Places = std::map<std::string, std::size_t>;
Places PlacesOf(const ElementKey& key, std::span<const json::Value> elements);

// Brings the elements that `wanted` names into that order, and the others into that of `before`;
// elements with one key in common stay beside each other. Of the others each stands before the
// first named one that it stood before in `before`: where nothing is known about two, the named one
// comes first.
void OrderElements(const ElementKey& key, const Places& wanted, const Places& before,
                   json::Array& list);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_LIST_ORDER_H_
