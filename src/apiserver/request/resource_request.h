// apiserver/request/resource_request.h
//
// ResourceRequest: a request that has found its resource, and which state of the resource it is to
// see.

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

// What a read sees in place of the latest state. By default: that. A read never goes back behind
// the history that is kept, nor behind what it asks for.
struct ReadView {
  // Every resourceVersion that a list or watch begins from is too old.
  bool expired = false;
  // By how many resourceVersions an answer is behind: of lists; of lists that do not ask for the
  // latest, and of the state with which a watch begins; of the place from which a watch goes on.
  std::int64_t list_behind = 0;
  std::int64_t cache_behind = 0;
  std::int64_t watch_behind = 0;
  // Null, or what becomes of a watch, whose events follow the resourceVersion `start`.
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
