// apiserver/authorization/selected_node.h
//
// SelectedNode: the node whose objects a field selector asks for (spec.nodeName=NODE).

#ifndef KINFORMER_APISERVER_AUTHORIZATION_SELECTED_NODE_H_
#define KINFORMER_APISERVER_AUTHORIZATION_SELECTED_NODE_H_

#include <string>

#include "kinformer/json/json.h"
#include "kinformer/object/field_selector.h"

namespace kinformer::apiserver {

// Return "" if it asks for no node, or for all but one. `attributes`: the resourceAttributes of an
// access review.
[[nodiscard]] std::string SelectedNode(const FieldSelector& selector);
[[nodiscard]] std::string SelectedNode(const json::Value& attributes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUTHORIZATION_SELECTED_NODE_H_
