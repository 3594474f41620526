// apiserver/discovery/openapi_documents.h
//
// OpenApiDocuments: the documents of /openapi for the resources served at one moment.

#ifndef KINFORMER_APISERVER_DISCOVERY_OPENAPI_DOCUMENTS_H_
#define KINFORMER_APISERVER_DISCOVERY_OPENAPI_DOCUMENTS_H_

#include <memory>
#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/discovery/openapi_schemas.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Constructed on the loop. Members are thread-safe, since making a document takes milliseconds.
class OpenApiDocuments {
 public:
  explicit OpenApiDocuments(const ServerState& state);

  // Returns the document of one group-version.
  [[nodiscard]] std::string V3(const GroupVersionEntry& gv) const;
  // Returns the document with the schemas of all group-versions, and the paths of custom resources.
  [[nodiscard]] std::string V2() const;

 private:
  // Adds everything of a group-version to a document: in OpenAPI 2, only paths of custom resources.
  // Returns whether it has any.
  bool Fill(const GroupVersionEntry& gv, OpenApiSchemas& schemas, json::Value& paths) const;

  std::vector<GroupVersionEntry> group_versions_{};
  // Snapshots; custom resources are copied without their objects.
  std::vector<std::shared_ptr<const ServedResource>> resources_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_OPENAPI_DOCUMENTS_H_
