// apiserver/write/request/apply_patch.h
//
// Decoding and merging of a server-side apply.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_APPLY_PATCH_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_APPLY_PATCH_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

struct ApplyPatch {
  json::Value object{};
  std::vector<std::string> warnings{};
};

// Decodes YAML or JSON. An unknown field is always an error, whatever fieldValidation (`mode`)
// says, as it cannot be owned; repeated members are an error with Strict, and a warning with Warn.
// Errors: BadRequest; for fields and their types a 500 without reason, as a real server does.
Result<ApplyPatch> DecodeApplyPatch(const ResourceAt& at, std::string_view body,
                                    std::string_view mode);

// Merges the declarations for a custom resource into the object, by the version's schema. Returns a
// 500 without reason, as a real server does, if list elements are ambiguous.
Result<void> MergeApplied(const ResourceAt& at, const json::Value& declared, json::Value& object);

// Checks that the object can be created under that name. BadRequest, or Conflict if it has a uid.
Result<void> CheckAppliedCreate(const ResourceAt& at, const json::Value& object,
                                std::string_view namespace_, std::string_view name);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_APPLY_PATCH_H_
