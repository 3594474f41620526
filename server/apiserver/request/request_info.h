// apiserver/request/request_info.h
//
// RequestInfo: the subject of a request, parsed from its method and URL alone. The rules are those
// of apiserver's RequestInfoFactory.

#ifndef KINFORMER_APISERVER_REQUEST_REQUEST_INFO_H_
#define KINFORMER_APISERVER_REQUEST_REQUEST_INFO_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

#include "apiserver/registry/audit_trail.h"
#include "transport/query.h"

namespace kinformer::apiserver {

enum class Verb : std::uint8_t {
  kGet,
  kList,
  kWatch,
  kCreate,
  kUpdate,
  kPatch,
  kDelete,
  kDeleteCollection,
  kOther,  // a method that resources do not support
};

// Returns "get", "deletecollection", ...
std::string_view VerbName(Verb verb);

using internal::transport::PercentDecode;
using internal::transport::Query;

struct RequestInfo {
  bool trailing_slash = false;  // not visible in `parts`
  bool empty_part = false;      // "//", which no valid path has
  bool is_resource_request = false;
  std::string path{};  // decoded, without a trailing slash; "/" for the root
  std::vector<std::string> parts{};
  Query query{};
  Verb verb{Verb::kOther};
  // Set for resource requests only.
  std::string group{};
  std::string version{};
  std::string namespace_{};
  std::string resource{};
  std::string name{};
  std::string subresource{};
  AuditTrailPtr audit{};  // null: the audit log does not have it
};

// Returns BadRequest if the target is no path, or has invalid percent-encoding.
Result<RequestInfo> ParseRequest(std::string_view method, std::string_view target);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_REQUEST_INFO_H_
