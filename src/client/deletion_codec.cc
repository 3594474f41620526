#include "client/deletion_codec.h"

#include <utility>

#include "kinformer/json/json.h"

#include "client/object_codec.h"

namespace kinformer::internal::client {
namespace {

constexpr int kAccepted = 202;

// Returns whether an object with this metadata stays after its delete was answered. A server that
// removes an object whose deletion it marked first shows the mark with a grace period of 0. A
// Namespace and a CustomResourceDefinition have no grace period, and stay.
bool Stays(const json::Value& metadata) {
  if (metadata["deletionTimestamp"].StringOrEmpty().empty()) return false;
  const auto grace = metadata["deletionGracePeriodSeconds"].AsInt64();
  return !grace || *grace != 0 || metadata["finalizers"].size() != 0;
}

}  // namespace

std::string DeleteOptionsJson(const DeleteOptions& options) {
  json::Value body = json::Value::MakeObject({{"kind", "DeleteOptions"}, {"apiVersion", "v1"}});
  if (options.gracePeriodSeconds) body.Set("gracePeriodSeconds", *options.gracePeriodSeconds);
  if (!options.uid.empty()) body.Ensure("preconditions", "uid") = options.uid;
  if (!options.resourceVersion.empty()) {
    body.Ensure("preconditions", "resourceVersion") = options.resourceVersion;
  }
  if (!options.propagationPolicy.empty()) body.Set("propagationPolicy", options.propagationPolicy);
  for (const std::string& value : options.dryRun) body.Ensure("dryRun").Append(value);
  return body.Dump();
}

Result<DeletionAnswer> DecodeDeletion(const KindInfo& type, int status,
                                      std::string_view content_type, std::string_view body) {
  Result<ObjectRef> object = DecodeObject(type, content_type, body, Answers::kOwnKindOrStatus);
  if (!object) return std::move(object).error();
  const json::Value members = json::Parse(body).value_or(json::Value());
  const json::Value& metadata = members["metadata"];
  DeletionAnswer answer{.object = *std::move(object)};
  const bool is_status = !answer.object;
  answer.pending = status == kAccepted || (!is_status && Stays(metadata));
  answer.uid = (is_status ? members["details"]["uid"] : metadata["uid"]).StringOrEmpty();
  return answer;
}

}  // namespace kinformer::internal::client
