// apiserver/discovery/openapi.h
//
// OpenApi: serves /openapi/v3 with its documents and /openapi/v2: the schemas of all served
// resources.

#ifndef KINFORMER_APISERVER_DISCOVERY_OPENAPI_H_
#define KINFORMER_APISERVER_DISCOVERY_OPENAPI_H_

#include <string>
#include <string_view>

#include "apiserver/discovery/openapi_hashes.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Makes documents on request, off the loop, and caches only their hashes, by which clients detect
// changes. Loop-confined.
class OpenApi {
 public:
  // Both must outlive it.
  OpenApi(const ServerState& state, OffLoop& off_loop) : state_(state), off_loop_(off_loop) {}

  // Returns null for other paths.
  ResponsePtr Answer(const RequestInfo& info, std::string_view accept,
                     std::string_view if_none_match);

 private:
  struct DocumentRequest {
    GroupVersionEntry gv{};
    std::string hash{};  // hash in the client's URL; empty: none
    std::string if_none_match{};
  };

  Task<ResponsePtr> Index();
  Task<ResponsePtr> Document(DocumentRequest request);
  Task<ResponsePtr> V2();
  static ResponsePtr EmptyV2();
  // Returns null if it is unknown or outdated.
  [[nodiscard]] const std::string* HashOf(const GroupVersionEntry& gv) const;
  static HttpHeaders HeadersOf(const DocumentRequest& request, const std::string& hash);
  // Returns the response if the client has the document already or asks for an old one; else null.
  static ResponsePtr WithoutDocument(const DocumentRequest& request, const std::string& hash);

  const ServerState& state_;
  OffLoop& off_loop_;
  OpenApiHashes hashes_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_OPENAPI_H_
