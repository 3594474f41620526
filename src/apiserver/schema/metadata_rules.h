// apiserver/schema/metadata_rules.h
//
// What is wrong with the metadata of an object, in the words of API servers.

#ifndef KINFORMER_APISERVER_SCHEMA_METADATA_RULES_H_
#define KINFORMER_APISERVER_SCHEMA_METADATA_RULES_H_

#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/schema/name_rules.h"

namespace kinformer::apiserver {

// In what the resources differ.
struct MetadataRules {
  NameRule name = NameRule::kSubdomain;
  bool namespaced = false;
  // Finalizers that are not standard ones need a domain: "example.com/name".
  bool qualified_finalizers = true;
};

// What is wrong with the metadata of an object that is to be stored; empty: nothing.
std::vector<StatusCause> ValidateMetadata(const MetadataRules& rules, const json::Value& metadata);

// What is wrong with the deletionTimestamp and grace period that a writer sends: only deletes set
// them. Those of an object that is being deleted stay as they are, whatever is sent.
std::vector<StatusCause> ValidateDeletion(const json::Value& old_metadata,
                                          const json::Value& metadata);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_METADATA_RULES_H_
