// cli/crd_structs.h
//
// Structs for the kinds of definitions: what `kinformer crd types` writes.

#ifndef KINFORMER_CLI_CRD_STRUCTS_H_
#define KINFORMER_CLI_CRD_STRUCTS_H_

#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {

struct CrdStructsOptions {
  std::string namespace_{};             // empty: the first part of each group
  std::vector<std::string> versions{};  // empty: all that are served
  // Keeps descriptions for `crd gen`, too; otherwise they are comments only.
  bool descriptions = false;
};

// Returns a header with a struct for each version of each kind. kInvalidArgument for what is no
// definition of apiextensions.k8s.io/v1, or has none of the versions.
Result<std::string> CrdStructs(const std::vector<json::Value>& definitions,
                               const CrdStructsOptions& options);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_CRD_STRUCTS_H_
