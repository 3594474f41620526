// cli/explain_text.h
//
// Explanation of a kind and its fields, from a document of OpenAPI v3, in kubectl's layout.

#ifndef KINFORMER_CLI_EXPLAIN_TEXT_H_
#define KINFORMER_CLI_EXPLAIN_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/api_resource.h"
#include "kinformer/json/json.h"
#include "kinformer/object/group_version_kind.h"

namespace kinformer::cli {

// An argument of `explain`: "pods.spec.containers", "deployments.apps.spec".
struct Explained {
  std::string resource{};  // "pods", "deployments.apps"
  std::vector<std::string> fields{};
};

// Splits the argument. A dot stands before a field, or before the group of the resource: a group
// that the server has is taken as the group.
Result<Explained> ReadExplained(std::string_view argument, const std::vector<ApiGroup>& groups);

// Returns the text for a field of the kind, or for the kind if there are no fields. kNotFound: the
// document does not have the kind or the field; the error suggests a similar one.
Result<std::string> ExplainText(const json::Value& document, const GroupVersionKind& kind,
                                const std::vector<std::string>& fields, bool recursive);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_EXPLAIN_TEXT_H_
