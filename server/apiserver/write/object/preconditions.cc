#include "apiserver/write/object/preconditions.h"

#include <string_view>

#include "apiserver/errors/status.h"
#include "apiserver/write/object/write_request.h"

namespace kinformer::apiserver {
namespace {

std::string VersionText(const StoredObjectPtr& stored) {
  return std::to_string(stored->resource_version());
}

}  // namespace

Result<void> CheckMayUpdate(const ServedResource& resource, const std::string& name,
                            const json::Value& metadata, const StoredObjectPtr& stored) {
  const ErrorSubject subject = resource.Subject(name);
  if (const std::string& uid = metadata["uid"].StringOrEmpty();
      !uid.empty() && uid != stored->uid()) {
    return UidPreconditionError(subject, uid, stored->uid());
  }
  const std::string& version = metadata["resourceVersion"].StringOrEmpty();
  if (version.empty() || version == "0") {
    if (resource.unconditional_update) return {};
    return InvalidError(subject, {InvalidValue("metadata.resourceVersion", "0",
                                               "must be specified for an update")});
  }
  if (version != VersionText(stored)) return ModifiedConflictError(subject);
  return {};
}

Result<void> CheckMayDelete(const ServedResource& resource, const std::string& name,
                            const DeleteRequest& request, const StoredObjectPtr& stored) {
  // Deletes of namespaces are implemented separately, with other messages.
  const bool is_namespace = resource.Is("", "namespaces");
  const ErrorSubject kind = is_namespace ? resource.Subject(name) : resource.KindSubject(name);
  const auto failed = [](const std::string& what, const std::string& asked, std::string_view is) {
    return "Precondition failed: " + what + " in precondition: " + asked + ", " + what +
           " in object meta: " + std::string(is);
  };
  if (request.uid && *request.uid != stored->uid()) {
    return ConflictError(kind, is_namespace ? failed("UID", *request.uid, stored->uid())
                                            : UidConflict(*request.uid, stored->uid()));
  }
  if (request.resource_version && *request.resource_version != VersionText(stored)) {
    const std::string version = VersionText(stored);
    return ConflictError(kind, is_namespace
                                   ? failed("ResourceVersion", *request.resource_version, version)
                                   : VersionConflict(*request.resource_version, version));
  }
  if (is_namespace && (name == "default" || name == "kube-public" || name == "kube-system")) {
    return ForbiddenError(resource.Subject(name), "this namespace may not be deleted");
  }
  return {};
}

}  // namespace kinformer::apiserver
