// client/request_path.h
//
// The target of a request: path segments and query, percent-encoded. Counterpart: the URL half of
// rest.Request.

#ifndef KINFORMER_CLIENT_REQUEST_PATH_H_
#define KINFORMER_CLIENT_REQUEST_PATH_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/request_options.h"

namespace kinformer::internal::client {

// Components of a path. Empty strings omit their segments.
struct ResourcePath {
  std::string_view group{};
  std::string_view version{};
  std::string_view resource{};
  std::string_view namespace_{};
  std::string_view name{};
  std::string_view subresource{};
};

// Returns "/apis/apps/v1/namespaces/default/deployments/web/status". Returns kInvalidArgument for a
// segment that is ".", ".." or contains '/' or '%': it would name another path.
Result<std::string> BuildPath(const ResourcePath& path);

// Appends a slash and the segment, escaped. Refuses what BuildPath refuses; `what` is its name in
// the error.
Result<void> AppendSegment(std::string& out, std::string_view what, std::string_view segment);

// Query parameters. Repeated names are kept, with their values in the order of the calls. The text
// is sorted by name.
class Query {
 public:
  void Add(std::string_view name, std::string_view value) { fields_.emplace_back(name, value); }
  // Omits empty values.
  void AddIfSet(std::string_view name, std::string_view value) {
    if (!value.empty()) Add(name, value);
  }
  void AddListOptions(const ListOptions& options, bool watch);
  void AddWriteOptions(const CreateOptions& options);
  void AddWriteOptions(const PatchOptions& options);
  [[nodiscard]] const auto& fields() const { return fields_; }
  // Returns "?a=1&b=2", or "" without parameters.
  [[nodiscard]] std::string Text() const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_REQUEST_PATH_H_
