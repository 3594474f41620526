// apiserver/discovery/openapi.h
//
// OpenApi: answers /openapi/v3, its documents, and /openapi/v2: the schemas of what the server
// serves.

#ifndef KINFORMER_APISERVER_DISCOVERY_OPENAPI_H_
#define KINFORMER_APISERVER_DISCOVERY_OPENAPI_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kinformer/json.h"

#include "apiserver/discovery/openapi_schemas.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Documents are made when they are asked for; what is kept is the hash of each, by which clients
// know whether they have it. Loop-confined.
class OpenApi {
 public:
  explicit OpenApi(const ServerState& state) : state_(state) {}

  // Null for a path that is none of its own.
  ResponsePtr Answer(const RequestInfo& info, std::string_view accept,
                     std::string_view if_none_match);

 private:
  struct Hash {
    std::uint64_t revision = 0;  // of the resource table
    std::string text{};
  };

  ResponsePtr Index();
  ResponsePtr Document(const GroupVersionEntry& gv, std::string_view hash,
                       std::string_view if_none_match);
  ResponsePtr V2(std::string_view accept);
  // Adds all of a group-version to a document that is being made. Null `paths`: schemas alone.
  void Fill(const GroupVersionEntry& gv, OpenApiSchemas& schemas, json::Value* paths) const;
  [[nodiscard]] std::string MakeDocument(const GroupVersionEntry& gv) const;
  const std::string& HashOf(const GroupVersionEntry& gv);

  const ServerState& state_;
  std::map<std::string, Hash> hashes_;  // by "apis/apps/v1"
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_OPENAPI_H_
