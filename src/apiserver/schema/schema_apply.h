// apiserver/schema/schema_apply.h
//
// What a server-side apply of a custom resource declares, merged into the object by its schema.

#ifndef KINFORMER_APISERVER_SCHEMA_SCHEMA_APPLY_H_
#define KINFORMER_APISERVER_SCHEMA_SCHEMA_APPLY_H_

#include <string>

#include "kinformer/json.h"

#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {

// Objects merge member by member and lists by their x-kubernetes-list-type: those with keys element
// by element, sets by value; atomic lists and maps, and all lists of which the schema says nothing,
// are replaced. Nothing is taken away: who owns what is not known. Costs by the size of both.
// Gives what is wrong with `declared`, then `object` is left in any state; empty: nothing.
// Counterpart: the merging walk of structured-merge-diff.
std::string ApplyDeclared(const SchemaNode& schema, const json::Value& declared,
                          json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_SCHEMA_APPLY_H_
