// apiserver/builtin/field_rules.h
//
// Immutable fields of built-in kinds: rejects changes of them in updates. Also normalizes fields of
// these kinds that have two spellings.

#ifndef KINFORMER_APISERVER_BUILTIN_FIELD_RULES_H_
#define KINFORMER_APISERVER_BUILTIN_FIELD_RULES_H_

#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Returns the forbidden changes in a write of `object` over `old`; empty if there are none. An
// empty `subresource` is the resource itself.
std::vector<StatusCause> ValidateChange(const ServedResource& resource,
                                        std::string_view subresource, const json::Value& old,
                                        const json::Value& object);

// Normalizes fields that have two spellings: moves a Secret's stringData into its data, and removes
// empty data.
void FoldFields(const ServedResource& resource, json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_FIELD_RULES_H_
