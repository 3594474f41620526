// apiserver/discovery/openapi.h
//
// OpenApi: answers /openapi/v3, its documents, and /openapi/v2: the schemas of what the server
// serves.

#ifndef KINFORMER_APISERVER_DISCOVERY_OPENAPI_H_
#define KINFORMER_APISERVER_DISCOVERY_OPENAPI_H_

#include <string>
#include <string_view>

#include "apiserver/discovery/openapi_hashes.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Documents are made when they are asked for, off the loop; what is kept is the hash of each, by
// which clients know whether they have it. Loop-confined.
class OpenApi {
 public:
  // Both must outlive it.
  OpenApi(const ServerState& state, OffLoop& off_loop) : state_(state), off_loop_(off_loop) {}

  // Null for a path that is none of its own.
  ResponsePtr Answer(const RequestInfo& info, std::string_view accept,
                     std::string_view if_none_match);

 private:
  struct DocumentRequest {
    GroupVersionEntry gv{};
    std::string hash{};  // the one that the client knows; empty: none
    std::string if_none_match{};
  };

  ResponsePtr Index();
  ResponsePtr Document(const DocumentRequest& request);
  ResponsePtr V2(std::string_view accept);
  // Null where that is not known, or not any more.
  [[nodiscard]] const std::string* HashOf(const GroupVersionEntry& gv) const;
  static HttpHeaders HeadersOf(const DocumentRequest& request, const std::string& hash);
  // The answer where the client has the document, or asks for an earlier one; else null.
  static ResponsePtr WithoutDocument(const DocumentRequest& request, const std::string& hash);

  const ServerState& state_;
  OffLoop& off_loop_;
  OpenApiHashes hashes_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_OPENAPI_H_
