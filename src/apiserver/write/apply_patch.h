// apiserver/write/apply_patch.h
//
// The body of a server-side apply: what a client declares of an object.

#ifndef KINFORMER_APISERVER_WRITE_APPLY_PATCH_H_
#define KINFORMER_APISERVER_WRITE_APPLY_PATCH_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

struct ApplyPatch {
  json::Value object{};
  std::vector<std::string> warnings{};
};

// YAML or JSON. A field that the schema lacks is an error whatever fieldValidation (`mode`) says,
// since nobody could own it; members that occur twice are an error where it is Strict, and a
// warning where it is Warn. `check_types`: of built-in kinds, too. Errors: BadRequest; for fields
// and their types a 500 without a reason, as the real server answers.
Result<ApplyPatch> DecodeApplyPatch(const ResourceAt& at, std::string_view body,
                                    std::string_view mode, bool check_types);

// Merges what is declared of a custom resource into the object, by the schema of the version. A 500
// without a reason, as the real server answers, where elements of a list cannot be told apart.
Result<void> MergeApplied(const ResourceAt& at, const json::Value& declared, json::Value& object);

// Is it fit to become a new object of that name? BadRequest, or Conflict for one that names a uid.
Result<void> CheckAppliedCreate(const ResourceAt& at, const json::Value& object,
                                std::string_view namespace_, std::string_view name);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_APPLY_PATCH_H_
