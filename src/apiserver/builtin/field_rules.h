// apiserver/builtin/field_rules.h
//
// What writers may not change in objects of built-in kinds, and what the server makes of some of
// their fields.

#ifndef KINFORMER_APISERVER_BUILTIN_FIELD_RULES_H_
#define KINFORMER_APISERVER_BUILTIN_FIELD_RULES_H_

#include <string_view>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// What is wrong with writing `object` over `old` by a subresource (empty: by the resource itself);
// empty: nothing.
std::vector<StatusCause> ValidateChange(const ServedResource& resource,
                                        std::string_view subresource, const json::Value& old,
                                        const json::Value& object);

// Normalises fields that have two spellings: a Secret's stringData goes into its data, and data
// that is empty goes.
void FoldFields(const ServedResource& resource, json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_FIELD_RULES_H_
