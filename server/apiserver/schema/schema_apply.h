// apiserver/schema/schema_apply.h
//
// Merging of a server-side apply into a custom object, by its schema.

#ifndef KINFORMER_APISERVER_SCHEMA_SCHEMA_APPLY_H_
#define KINFORMER_APISERVER_SCHEMA_SCHEMA_APPLY_H_

#include <string>

#include "kinformer/json/json.h"

#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {

// Merges objects by member, and lists by their x-kubernetes-list-type: lists with keys by element,
// sets by value. Replaces atomic lists and maps, and lists whose schema says nothing. Removes
// nothing, since field owners are not tracked. The cost grows with the size of both. Returns the
// problem of `declared`, with `object` in an undefined state; empty: none. Counterpart: the merging
// walk of structured-merge-diff.
std::string ApplyDeclared(const SchemaNode& schema, const json::Value& declared,
                          json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_SCHEMA_APPLY_H_
