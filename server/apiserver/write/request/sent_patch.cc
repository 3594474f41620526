#include "apiserver/write/request/sent_patch.h"

#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/ownership/value_shape.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/write/request/apply_patch.h"
#include "apiserver/write/request/body_fields.h"

namespace kinformer::apiserver {

Result<SentPatch> KindOfPatch(const ResourceRequest& request) {
  const Query& query = request.info.query;
  const bool custom = request.at.resource->custom;
  SentPatch sent{.apply = PatchFunctionOf(request.content_type, custom)};
  if (sent.apply == nullptr) {
    if (!custom) return UnsupportedPatchError();
    return UnsupportedMediaTypeError(
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
  }
  sent.server_side = IsMediaType(request.content_type, "application/apply-patch+yaml");
  std::vector<StatusCause> causes;
  if (query.Has("force") && !sent.server_side) {
    causes.push_back(ForbiddenField("force", "may not be specified for non-apply patch"));
  }
  if (sent.server_side && query.Get("fieldManager").empty()) {
    causes.push_back(Required("fieldManager", "is required for apply patch"));
  }
  auto options = DecodeWriteQuery(query, "PatchOptions", std::move(causes));
  if (!options) return options.error();
  sent.query = *std::move(options);
  sent.force = query.GetBool("force").value_or(false);
  return sent;
}

Result<void> DecodePatch(const ResourceRequest& request, SentPatch& sent) {
  if (sent.server_side) {
    Result<ApplyPatch> applied =
        DecodeApplyPatch(request.at, request.body, sent.query.field_validation);
    if (!applied) return applied.error();
    sent.patch = std::move(applied->object);
    sent.warnings = std::move(applied->warnings);
    return {};
  }
  Result<json::Value> patch = json::Parse(request.body);
  if (!patch) return BadRequestError("error decoding patch: " + patch.error().message());
  sent.patch = *std::move(patch);
  return {};
}

Result<json::Value> Patched(ObjectWriter& writer, const ResourceRequest& request,
                            const SentPatch& sent, const FieldManager& manager,
                            const StoredObject& stored, std::vector<std::string>& warnings) {
  const ResourceAt& at = request.at;
  json::Value object = ObjectIn(at, stored);
  const json::Value live = sent.server_side && manager.tracks ? object : json::Value();
  const std::string uid = std::as_const(object).At("/metadata/uid").StringOrEmpty();
  // Without a resourceVersion, the patch applies to the object in any version.
  if (sent.server_side) {
    if (auto merged = MergeApplied(at, sent.patch, object); !merged) return merged.error();
  } else if (Result<void> applied = sent.apply(sent.patch, at.version->message, object); !applied) {
    return applied.error();
  }
  if (!live.is_null()) {
    const auto owned =
        TrackApply(ValueShape::Of(*at.version), manager, live, sent.patch, sent.force, object);
    if (!owned) return owned.error();
  }
  // Fields that an apply may not declare were rejected before; pruned fields cause no warning.
  const std::string mode = sent.server_side ? "Ignore" : sent.query.field_validation;
  auto checked = CheckPatched(writer, request, mode, uid, object);
  if (!checked) return checked.error();
  warnings.insert(warnings.end(), checked->begin(), checked->end());
  return object;
}

}  // namespace kinformer::apiserver
