#include "apiserver/write/request/node_limits.h"

#include <string>
#include <vector>

namespace kinformer::apiserver {

Result<void> CheckNodesDelete(const AdmissionPlugins& plugins, const WriteTarget& target,
                              const StoredObject& stored) {
  if (!plugins.Restricts(target.user.get())) return {};
  json::Value none;
  const json::Value old = stored.Parse();
  std::vector<std::string> warnings;
  return plugins.Restrict({.resource = *target.at.resource,
                           .deletes = true,
                           .dry_run = target.dry_run,
                           .namespace_ = target.namespace_,
                           .name = target.name,
                           .user = target.user.get(),
                           .object = none,
                           .old = old,
                           .warnings = warnings});
}

Result<void> CheckNodesCreate(const AdmissionPlugins& plugins, UnstoredCreate& create) {
  const ResourceRequest& request = create.request;
  if (!plugins.Restricts(request.user.get())) return {};
  const json::Value none;
  return plugins.Restrict({.resource = *request.at.resource,
                           .subresource = request.info.subresource,
                           .creates = true,
                           .dry_run = create.dry_run,
                           .namespace_ = request.info.namespace_,
                           .name = request.info.name,
                           .user = request.user.get(),
                           .object = create.object,
                           .old = none,
                           .warnings = create.warnings});
}

}  // namespace kinformer::apiserver
