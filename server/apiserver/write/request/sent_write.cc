#include "apiserver/write/request/sent_write.h"

#include "apiserver/registry/object_rules.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/write/object/reset_fields.h"

namespace kinformer::apiserver {

FieldManager ManagerOf(const ServerState& state, const ResourceRequest& request, WallTime now) {
  if (!state.options.field_owners) return {};
  return {.tracks = true,
          .applies = IsMediaType(request.content_type, "application/apply-patch+yaml"),
          .name = ManagerName(request.info.query.Get("fieldManager"), request.user_agent),
          .api_version = request.at.version->api_version,
          .subresource = request.info.subresource,
          .now = FormatTime(now),
          .kind = request.at.resource->custom ? std::string() : request.at.resource->kind,
          .reset = ResetFields(request.at, request.info.subresource)};
}

}  // namespace kinformer::apiserver
