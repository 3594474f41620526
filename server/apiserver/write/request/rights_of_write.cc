#include "apiserver/write/request/rights_of_write.h"

#include "apiserver/authorization/escalation.h"

namespace kinformer::apiserver {

Result<void> CheckMayMake(const Authorizer& authorizer, const ResourceRequest& request,
                          const Draft& draft) {
  const RequestInfo& info = request.info;
  if (!draft.creates || info.verb == Verb::kCreate) return {};
  return authorizer.Check(*request.user, {.verb = "create",
                                          .group = info.group,
                                          .resource = info.resource,
                                          .subresource = info.subresource,
                                          .namespace_ = info.namespace_,
                                          .name = info.name});
}

Result<void> CheckMayGive(const Authorizer& authorizer, const ResourceRequest& request,
                          Draft& draft) {
  const RequestInfo& info = request.info;
  if (info.group != kRbacGroup) return {};
  if (!draft.creates && draft.old.is_null()) ObjectWriter::Load(draft);
  return CheckGrant(authorizer, *request.user,
                    {.resource = info.resource,
                     .namespace_ = info.namespace_,
                     .name = info.name,
                     .object = draft.object,
                     .old = draft.creates ? nullptr : &draft.old});
}

}  // namespace kinformer::apiserver
