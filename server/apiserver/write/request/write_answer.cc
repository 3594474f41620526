#include "apiserver/write/request/write_answer.h"

#include <string_view>
#include <utility>

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/errors/status.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/request/object_encoder.h"

namespace kinformer::apiserver {

ResponsePtr WriteAnswer(const ServerState& state, const ResourceRequest& request,
                        const WriteOutcome& outcome, const std::vector<std::string>& warnings) {
  const ObjectEncoder encoder(request.at, request.format, state.env.WallNow());
  HttpHeaders headers;
  headers.Add("Content-Type", ContentTypeOf(request.format, false));
  if (outcome.warnings.empty()) {
    AddWarnings(warnings, headers);
  } else {
    std::vector<std::string> all = warnings;
    all.insert(all.end(), outcome.warnings.begin(), outcome.warnings.end());
    AddWarnings(all, headers);
  }
  return WholeResponse(outcome.accepted  ? 202
                       : outcome.created ? 201
                                         : 200,
                       std::move(headers), encoder.Object(outcome.stored, outcome.document));
}

ResponsePtr DeletedAnswer(const ResourceRequest& request, const WriteOutcome& outcome) {
  const ErrorSubject subject = request.at.resource->Subject(request.info.name);
  const std::string_view uid = outcome.stored->uid();
  return WholeResponse(200, ContentTypeOf(request.format, false),
                       request.format.media == MediaType::kProtobuf
                           ? Envelope("v1", "Status", DeletedStatusProtobuf(subject, uid))
                           : Render(request.format, DeletedStatusJson(subject, uid)));
}

}  // namespace kinformer::apiserver
