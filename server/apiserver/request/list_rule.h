// apiserver/request/list_rule.h
//
// ListRule: how a list of a built-in kind is merged by a server-side apply.

#ifndef KINFORMER_APISERVER_REQUEST_LIST_RULE_H_
#define KINFORMER_APISERVER_REQUEST_LIST_RULE_H_

#include "kinformer/internal/descriptor.h"

#include "apiserver/request/list_order.h"

namespace kinformer::apiserver {

// Merged by keys, by value (no keys), or not at all.
struct ListRule {
  bool merges = false;
  ElementKey key{};
};

// `field`: null for an unknown one.
ListRule RuleOf(const internal::FieldDescriptor* field);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_LIST_RULE_H_
