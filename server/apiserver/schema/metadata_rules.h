// apiserver/schema/metadata_rules.h
//
// Validation of an object's metadata, with the messages of API servers.

#ifndef KINFORMER_APISERVER_SCHEMA_METADATA_RULES_H_
#define KINFORMER_APISERVER_SCHEMA_METADATA_RULES_H_

#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/schema/name_rules.h"

namespace kinformer::apiserver {

// Metadata rules that differ between resources.
struct MetadataRules {
  NameRule name = NameRule::kSubdomain;
  bool namespaced = false;
  // Whether non-standard finalizers need a domain: "example.com/name".
  bool qualified_finalizers = true;
};

// Returns the problems of the metadata of an object to be stored; empty if there are none.
std::vector<StatusCause> ValidateMetadata(const MetadataRules& rules, const json::Value& metadata);

// Returns the problems of deletionTimestamp and grace period in a write, which only deletes may
// set. The values of an object being deleted are kept whatever a client sends.
std::vector<StatusCause> ValidateDeletion(const json::Value& old_metadata,
                                          const json::Value& metadata);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_METADATA_RULES_H_
