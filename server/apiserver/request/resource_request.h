// apiserver/request/resource_request.h
//
// ResourceRequest: a request with its resolved resource, and the state of the resource that its
// reads see.

#ifndef KINFORMER_APISERVER_REQUEST_RESOURCE_REQUEST_H_
#define KINFORMER_APISERVER_REQUEST_RESOURCE_REQUEST_H_

#include <cstdint>
#include <functional>
#include <string>

#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// State that a read sees, by default the latest; faults change it. A read never returns state older
// than the history that is kept, nor older than the version it asks for.
struct ReadView {
  // Treats every resourceVersion from which a list or watch begins as too old.
  bool expired = false;
  // Number of resourceVersions by which responses lag: all lists; lists that do not ask for the
  // latest and the initial state of watches; the point at which a watch resumes.
  std::int64_t list_behind = 0;
  std::int64_t cache_behind = 0;
  std::int64_t watch_behind = 0;
  // If set, wraps the response to a watch, whose events follow the resourceVersion `start`.
  std::function<ResponsePtr(const ObjectEncoder& encoder, std::int64_t start, ResponsePtr watch)>
      wrap_watch{};
};

struct ResourceRequest {
  RequestInfo info{};
  ResourceAt at{};
  OutputFormat format{};
  std::string accept{};
  std::string content_type{};
  std::string user_agent{};
  UserInfoPtr user{};  // never null
  std::string body{};
  ReadView view{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_RESOURCE_REQUEST_H_
