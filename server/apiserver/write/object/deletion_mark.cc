#include "apiserver/write/object/deletion_mark.h"

#include <chrono>
#include <utility>

#include "apiserver/registry/custom_resource_definition.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/write/object/propagation.h"
#include "base/core/seconds.h"

namespace kinformer::apiserver {

using internal::base::SaturatedAfter;
using internal::base::SaturatedSeconds;

bool Terminating(const json::Value& object) {
  return !object.At("/metadata/deletionTimestamp").is_null();
}

std::int64_t GraceOf(const json::Value& pod, std::optional<std::int64_t> asked) {
  const std::string& phase = pod.At("/status/phase").StringOrEmpty();
  if (pod.At("/spec/nodeName").StringOrEmpty().empty() || phase == "Succeeded" ||
      phase == "Failed") {
    return 0;
  }
  const std::int64_t grace =
      asked.value_or(pod.At("/spec/terminationGracePeriodSeconds").AsInt64().value_or(30));
  return grace < 0 ? 1 : grace;
}

void MarkDeleted(const ServedResource& resource, WallTime now, std::int64_t grace,
                 json::Value& object) {
  json::Value& metadata = object.Ensure("metadata");
  metadata.Set("deletionTimestamp", FormatTime(SaturatedAfter(now, SaturatedSeconds(grace))));
  if (!IsDefinition(resource) && !resource.Is("", "namespaces")) {
    metadata.Set("deletionGracePeriodSeconds", grace);
    const std::int64_t generation = std::as_const(metadata)["generation"].AsInt64().value_or(0);
    if (generation > 0) metadata.Set("generation", generation + 1);
  }
  if (resource.Is("", "namespaces")) object.Ensure("status").Set("phase", "Terminating");
}

bool ShortenGracePeriod(WallTime now, std::int64_t grace, json::Value& object) {
  json::Value& metadata = object.Ensure("metadata");
  const std::int64_t before =
      std::as_const(metadata)["deletionGracePeriodSeconds"].AsInt64().value_or(0);
  if (grace >= before) return false;
  const auto until =
      metav1::Time::Parse(std::as_const(metadata)["deletionTimestamp"].StringOrEmpty());
  const WallTime start = until ? WallTime(SaturatedSeconds(until->seconds() - before)) : now;
  metadata.Set("deletionTimestamp", FormatTime(SaturatedAfter(start, SaturatedSeconds(grace))));
  metadata.Set("deletionGracePeriodSeconds", grace);
  return true;
}

bool MayGo(const ServedResource& resource, const json::Value& before, const json::Value& after) {
  return Terminating(before) &&
         after.At("/metadata/deletionGracePeriodSeconds").AsInt64().value_or(0) == 0 &&
         !HasFinalizers(resource, after);
}

}  // namespace kinformer::apiserver
