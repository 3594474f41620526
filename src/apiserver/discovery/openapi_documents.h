// apiserver/discovery/openapi_documents.h
//
// OpenApiDocuments: the documents of /openapi, of what the server serves at one moment.

#ifndef KINFORMER_APISERVER_DISCOVERY_OPENAPI_DOCUMENTS_H_
#define KINFORMER_APISERVER_DISCOVERY_OPENAPI_DOCUMENTS_H_

#include <memory>
#include <string>
#include <vector>

#include "kinformer/json.h"

#include "apiserver/discovery/openapi_schemas.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Made on the loop; its members are for any thread, since making a document takes milliseconds.
class OpenApiDocuments {
 public:
  explicit OpenApiDocuments(const ServerState& state);

  // Of one group-version.
  [[nodiscard]] std::string V3(const GroupVersionEntry& gv) const;
  // The schemas of all.
  [[nodiscard]] std::string V2() const;

 private:
  // Adds all of a group-version to a document that is being made. Null `paths`: schemas alone.
  void Fill(const GroupVersionEntry& gv, OpenApiSchemas& schemas, json::Value* paths) const;

  std::vector<GroupVersionEntry> group_versions_{};
  std::string git_version_{};
  // Custom ones are copies, without their objects.
  std::vector<std::shared_ptr<const ServedResource>> resources_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_OPENAPI_DOCUMENTS_H_
