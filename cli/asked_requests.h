// cli/asked_requests.h
//
// AskedRequest: a request as an audit log has it: the right that it needs, and who needs it.

#ifndef KINFORMER_CLI_ASKED_REQUESTS_H_
#define KINFORMER_CLI_ASKED_REQUESTS_H_

#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer::cli {

// Either for a resource or, if that is empty, for a path.
struct AskedRequest {
  std::string verb{};
  std::string group{};
  std::string resource{};  // with the subresource: "pods/status"
  std::string namespace_{};
  std::string name{};
  std::string path{};
  std::string user{};  // who it is done for; empty: the log does not say
  std::string user_agent{};
  friend bool operator==(const AskedRequest&, const AskedRequest&) = default;
};

// Reads the events of audit.k8s.io, a line of JSON each, as kube-apiserver writes them with
// --audit-log-path. Each event counts, whatever its stage. An apply that makes an object is two
// requests, as it needs the right to create, too. Left out is what everybody may do: discovery,
// health checks, and questions about oneself. `file` is its name in errors, which are kDecode with
// the line. Lines without an end are of an event that is being written, and are left out.
Result<std::vector<AskedRequest>> ReadAuditLog(std::istream& in, const std::string& file);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_ASKED_REQUESTS_H_
