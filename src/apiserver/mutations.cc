#include "apiserver/mutations.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "kinformer/yaml.h"

#include "apiserver/custom_object.h"
#include "apiserver/custom_scale.h"
#include "apiserver/list_stream.h"
#include "apiserver/object_encoder.h"
#include "apiserver/object_rules.h"
#include "apiserver/patch.h"
#include "apiserver/protobuf_envelope.h"
#include "apiserver/request_body.h"
#include "apiserver/schema_validation.h"
#include "apiserver/selection.h"
#include "object/transcode.h"

namespace kinformer::apiserver {
namespace {

WriteTarget TargetOf(const ResourceRequest& request, bool dry_run) {
  return {.at = request.at,
          .namespace_ = request.info.namespace_,
          .name = request.info.name,
          .subresource = request.info.subresource,
          .dry_run = dry_run};
}

// "/spec/containers/0/name" as strict decoding writes it: spec.containers[0].name.
std::string DottedPath(std::string_view pointer) {
  std::string out;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    const bool index = token.find_first_not_of("0123456789") == std::string_view::npos;
    if (index) {
      out.append("[").append(token).append("]");
    } else {
      out.append(out.empty() ? "" : ".").append(token);
    }
  }
  return out;
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

json::Value SuccessStatus() {
  return json::Value::MakeObject({{"kind", "Status"},
                                  {"apiVersion", "v1"},
                                  {"metadata", json::Value::MakeObject()},
                                  {"status", "Success"}});
}

std::string SelectorText(const json::Value& selector) {
  if (selector.is_string()) return selector.StringOrEmpty();
  const json::Value& labels = selector.contains("matchLabels") ? selector["matchLabels"] : selector;
  std::string text;
  for (const auto& [key, value] : labels.members()) {
    if (value.is_string()) text += (text.empty() ? "" : ",") + key + "=" + value.StringOrEmpty();
  }
  return text;
}

json::Value ScaleOf(const json::Value& object) {
  json::Value metadata = json::Value::MakeObject();
  for (const char* name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    metadata.Set(name, object["metadata"][name]);
  }
  json::Value status =
      json::Value::MakeObject({{"replicas", object.At("/status/replicas").AsInt64().value_or(0)}});
  if (const std::string selector = SelectorText(object.At("/spec/selector")); !selector.empty()) {
    status.Set("selector", selector);
  }
  return json::Value::MakeObject(
      {{"kind", "Scale"},
       {"apiVersion", "autoscaling/v1"},
       {"metadata", std::move(metadata)},
       {"spec",
        json::Value::MakeObject({{"replicas", object.At("/spec/replicas").AsInt64().value_or(0)}})},
       {"status", std::move(status)}});
}

using PatchFunction = Result<void> (*)(const json::Value& patch, json::Value& object);

Result<void> MergePatch(const json::Value& patch, json::Value& object) {
  if (!patch.is_object()) return BadRequestError("a merge patch must be an object");
  object.MergePatch(patch);
  return {};
}

// Null: that type of patch does not exist here.
PatchFunction PatchFunctionOf(std::string_view content_type, bool custom) {
  if (IsMediaType(content_type, "application/json-patch+json")) return ApplyJsonPatch;
  if (IsMediaType(content_type, "application/merge-patch+json")) return MergePatch;
  if (IsMediaType(content_type, "application/strategic-merge-patch+json") && !custom) {
    return ApplyStrategicMergePatch;
  }
  if (IsMediaType(content_type, "application/apply-patch+yaml")) {
    return custom ? MergePatch : ApplyStrategicMergePatch;
  }
  return nullptr;
}

}  // namespace

ResponsePtr Mutations::Answer(const ResourceRequest& request, const Result<WriteOutcome>& outcome,
                              const std::vector<std::string>& warnings) {
  if (!outcome) {
    ResponsePtr answer = ErrorResponse(outcome.error(), request.accept);
    for (const std::string& warning : warnings) answer = Warning(std::move(answer), warning);
    return answer;
  }
  const ObjectEncoder encoder(request.at, request.format, state_.env.WallNow());
  HttpHeaders headers;
  headers.Add("Content-Type", ContentTypeOf(request.format, false));
  for (const std::string& warning : warnings)
    headers.Add("Warning", "299 - " + JsonString(warning));
  for (const std::string& warning : outcome->warnings)
    headers.Add("Warning", "299 - " + JsonString(warning));
  return WholeResponse(outcome->created ? 201 : 200, std::move(headers),
                       encoder.Object(outcome->record));
}

Result<std::vector<std::string>> Mutations::ValidateFields(
    const ResourceRequest& request, const json::Value& object,
    const std::vector<std::string>& duplicates) const {
  const std::string_view mode = request.info.query.Get("fieldValidation");
  const bool warns_by_default = request.at.version->schema != nullptr;
  if (mode == "Ignore" || (mode.empty() && !warns_by_default)) return std::vector<std::string>();
  if (!mode.empty() && mode != "Warn" && mode != "Strict") {
    return InvalidOptionsError(
        "CreateOptions",
        {NotSupported("fieldValidation", mode, "\"\", \"Ignore\", \"Strict\", \"Warn\"")});
  }
  std::vector<std::string> problems;
  for (const std::string& pointer : duplicates) {
    problems.push_back("duplicate field \"" + DottedPath(pointer) + "\"");
  }
  if (request.at.version->message != nullptr) {
    internal::FieldProblems found;
    (void)internal::JsonToProtobuf(*request.at.version->message, object.Dump(), &found).ok();
    problems.insert(problems.end(), found.unknown.begin(), found.unknown.end());
  }
  for (std::string& problem : UnknownFieldProblems(request.at, object)) {
    problems.push_back(std::move(problem));
  }
  if (mode == "Strict" && !problems.empty()) {
    const std::string text = Joined(problems);
    return BadRequestError(request.at.resource->kind + " in version \"" +
                           request.at.version->version + "\" cannot be handled as a " +
                           request.at.resource->kind + ": strict decoding error: " + text);
  }
  return problems;
}

ResponsePtr Mutations::Create(const ResourceRequest& request) {
  if (request.info.subresource == "binding") return Bind(request);
  if (request.info.subresource == "eviction") return Evict(request);
  if (!request.info.subresource.empty() || !request.info.name.empty()) {
    return ErrorResponse(MethodNotAllowedError(), request.accept);
  }
  if (!request.at.resource->HasVerb("get")) return Review(request);
  const auto dry_run = DecodeDryRun(request.info.query.Get("dryRun"), "CreateOptions");
  if (!dry_run) return ErrorResponse(dry_run.error(), request.accept);
  std::vector<std::string> duplicates;
  Result<json::Value> object =
      DecodeObject(request.at, request.content_type, request.body, &duplicates);
  if (!object) return ErrorResponse(object.error(), request.accept);
  const auto warnings = ValidateFields(request, *object, duplicates);
  if (!warnings) return ErrorResponse(warnings.error(), request.accept);
  return Answer(request, writer_.Create(TargetOf(request, *dry_run), *std::move(object)),
                *warnings);
}

ResponsePtr Mutations::Update(const ResourceRequest& request) {
  const auto dry_run = DecodeDryRun(request.info.query.Get("dryRun"), "UpdateOptions");
  if (!dry_run) return ErrorResponse(dry_run.error(), request.accept);
  std::vector<std::string> duplicates;
  Result<json::Value> object =
      DecodeObject(request.at, request.content_type, request.body, &duplicates);
  if (!object) return ErrorResponse(object.error(), request.accept);
  const auto warnings = ValidateFields(request, *object, duplicates);
  if (!warnings) return ErrorResponse(warnings.error(), request.accept);
  return Answer(request, writer_.Update(TargetOf(request, *dry_run), *std::move(object)),
                *warnings);
}

ResponsePtr Mutations::Patch(const ResourceRequest& request) {
  const Query& query = request.info.query;
  const bool custom = request.at.resource->custom;
  const PatchFunction apply = PatchFunctionOf(request.content_type, custom);
  if (apply == nullptr) {
    std::string accepted = "application/json-patch+json, application/merge-patch+json, ";
    if (!custom) accepted += "application/strategic-merge-patch+json, ";
    return ErrorResponse(UnsupportedMediaTypeError(accepted + "application/apply-patch+yaml"),
                         request.accept);
  }
  const bool server_side = IsMediaType(request.content_type, "application/apply-patch+yaml");
  std::vector<StatusCause> causes;
  if (query.Has("force") && !server_side) {
    causes.push_back(ForbiddenField("force", "may not be specified for non-apply patch"));
  }
  if (server_side && query.Get("fieldManager").empty()) {
    causes.push_back(Required("fieldManager", "is required for apply patch"));
  }
  if (!causes.empty()) {
    return ErrorResponse(InvalidOptionsError("PatchOptions", std::move(causes)), request.accept);
  }
  const auto dry_run = DecodeDryRun(query.Get("dryRun"), "PatchOptions");
  if (!dry_run) return ErrorResponse(dry_run.error(), request.accept);

  const WriteTarget target = TargetOf(request, *dry_run);
  const Result<json::Value> patch =
      server_side ? yaml::Parse(request.body) : json::Parse(request.body);
  if (!patch) return ErrorResponse(BadRequestError(patch.error().message()), request.accept);
  const std::string key =
      StorageKey(request.at.resource->namespaced ? target.namespace_ : "", target.name);
  if (server_side) {
    if (!(*patch)["metadata"]["managedFields"].is_null()) {
      return ErrorResponse(BadRequestError("metadata.managedFields must be nil"), request.accept);
    }
    if (request.at.resource->store->Get(key) == nullptr && target.subresource.empty()) {
      return Answer(request, writer_.Create(target, *patch));
    }
  }
  std::vector<std::string> warnings;
  const auto outcome = writer_.Modify(target, [&](json::Value& object) -> Result<void> {
    // Without a resourceVersion of its own the patch goes onto whatever is there.
    if (Result<void> applied = apply(*patch, object); !applied) return applied;
    const std::string_view mode = query.Get("fieldValidation");
    if (mode != "Ignore") warnings = UnknownFieldProblems(request.at, object);
    if (mode != "Strict" || warnings.empty()) return {};
    return InvalidError({}, {InvalidValue("patch", GoQuoted(object.Dump({.sort_keys = true})),
                                          "strict decoding error: " + Joined(warnings))});
  });
  return Answer(request, outcome, warnings);
}

ResponsePtr Mutations::Delete(const ResourceRequest& request) {
  const auto options = DecodeDelete(request.info.query, request.content_type, request.body);
  if (!options) return ErrorResponse(options.error(), request.accept);
  const auto outcome = writer_.Delete(TargetOf(request, options->dry_run), options->request);
  if (!outcome) return ErrorResponse(outcome.error(), request.accept);
  if (!outcome->removed || request.at.resource->delete_returns_object)
    return Answer(request, outcome);
  const ErrorSubject subject = request.at.resource->Subject(request.info.name);
  if (request.format.media == MediaType::kProtobuf) {
    return WholeResponse(
        200, ContentTypeOf(request.format, false),
        Envelope("v1", "Status", DeletedStatusProtobuf(subject, outcome->record->uid())));
  }
  return WholeResponse(200, ContentTypeOf(request.format, false),
                       Render(request.format, DeletedStatusJson(subject, outcome->record->uid())));
}

ResponsePtr Mutations::DeleteCollection(const ResourceRequest& request) {
  const Query& query = request.info.query;
  const auto options = DecodeDelete(query, request.content_type, request.body);
  if (!options) return ErrorResponse(options.error(), request.accept);
  const auto selection = Selection::Make(request.at, request.info.namespace_,
                                         query.Get("labelSelector"), query.Get("fieldSelector"));
  if (!selection) return ErrorResponse(selection.error(), request.accept);
  const std::int64_t version = state_.resource_version;
  // The answer shows what was there before; it holds its version while the objects go.
  auto answer = NewListStream(ObjectEncoder(request.at, request.format, state_.env.WallNow()),
                              {.selection = *selection, .resource_version = version});
  std::vector<RecordPtr> selected;
  request.at.resource->store->Walk(selection->prefix(), {}, version, [&](const RecordPtr& record) {
    if (selection->InScope(*record) && selection->Matches(*record)) selected.push_back(record);
    return true;
  });
  for (const RecordPtr& record : selected) {
    WriteTarget target = TargetOf(request, options->dry_run);
    target.namespace_ = record->namespace_();
    target.name = record->name();
    const auto outcome = writer_.Delete(target, options->request);
    if (!outcome && !IsNotFound(outcome.error()))
      return ErrorResponse(outcome.error(), request.accept);
  }
  return answer;
}

ResponsePtr Mutations::Scale(const ResourceRequest& request) {
  const ServedResource& resource = *request.at.resource;
  const RecordPtr record = resource.store->Get(
      StorageKey(resource.namespaced ? request.info.namespace_ : "", request.info.name));
  if (record == nullptr) {
    return ErrorResponse(NotFoundError(resource.Subject(request.info.name)), request.accept);
  }
  const bool custom = resource.custom;
  const auto show = [&](const json::Value& object) -> Result<json::Value> {
    if (!custom) return ScaleOf(object);
    return ScaleOfCustom(request.at, object, /*for_patch=*/request.info.verb != Verb::kGet);
  };
  Result<json::Value> shown = show(record->Parse());
  if (!shown) return ErrorResponse(shown.error(), request.accept);
  json::Value scale = *std::move(shown);
  const OutputFormat format{.media = MediaType::kJson, .pretty = request.format.pretty};
  if (request.info.verb == Verb::kGet) {
    return WholeResponse(200, ContentTypeOf(format, false), Render(format, scale.Dump()));
  }
  if (request.info.verb == Verb::kPatch) {
    const PatchFunction apply = PatchFunctionOf(request.content_type, /*custom=*/false);
    const Result<json::Value> patch = json::Parse(request.body);
    if (apply == nullptr || !patch) {
      return ErrorResponse(BadRequestError("the body is no patch of a Scale"), request.accept);
    }
    if (Result<void> applied = apply(*patch, scale); !applied) {
      return ErrorResponse(applied.error(), request.accept);
    }
  } else {
    Result<json::Value> sent = DecodeBody(request.content_type, request.body);
    if (!sent) return ErrorResponse(sent.error(), request.accept);
    scale = *std::move(sent);
  }
  if (custom) {
    const Result<void> valid = CheckCustomScale(request.at, request.info.name, scale);
    if (!valid) return ErrorResponse(valid.error(), request.accept);
  }
  const auto dry_run = DecodeDryRun(request.info.query.Get("dryRun"), "UpdateOptions");
  if (!dry_run) return ErrorResponse(dry_run.error(), request.accept);
  WriteTarget target = TargetOf(request, *dry_run);
  target.subresource.clear();
  const auto outcome = writer_.Modify(target, [&](json::Value& object) -> Result<void> {
    if (custom) return ApplyCustomScale(request.at, scale, object);
    const std::string version =
        std::as_const(scale).At("/metadata/resourceVersion").StringOrEmpty();
    if (!version.empty()) object["metadata"].Set("resourceVersion", version);
    return object.SetPointer("/spec/replicas",
                             std::as_const(scale).At("/spec/replicas").AsInt64().value_or(0));
  });
  if (!outcome) return ErrorResponse(outcome.error(), request.accept);
  const Result<json::Value> changed = show(outcome->record->Parse());
  if (!changed) return ErrorResponse(changed.error(), request.accept);
  return WholeResponse(200, ContentTypeOf(format, false), Render(format, changed->Dump()));
}

ResponsePtr Mutations::Bind(const ResourceRequest& request) {
  const Result<json::Value> binding = DecodeBody(request.content_type, request.body);
  if (!binding) return ErrorResponse(binding.error(), request.accept);
  WriteTarget target = TargetOf(request, false);
  target.subresource.clear();
  target.keep_status = true;
  const ErrorSubject subject = request.at.resource->Subject(request.info.name);
  const auto outcome = writer_.Modify(target, [&](json::Value& pod) -> Result<void> {
    const std::string& node = std::as_const(pod).At("/spec/nodeName").StringOrEmpty();
    if (!node.empty()) {
      return ConflictError(
          subject, "pod " + request.info.name + " is already assigned to node \"" + node + "\"");
    }
    pod["spec"].Set("nodeName", (*binding)["target"]["name"].StringOrEmpty());
    for (const auto& [key, value] : (*binding)["metadata"]["annotations"].members()) {
      pod["metadata"]["annotations"].Set(key, value);
    }
    pod["status"]["conditions"].Append(
        json::Value::MakeObject({{"type", "PodScheduled"},
                                 {"status", "True"},
                                 {"lastTransitionTime", FormatTime(state_.env.WallNow())}}));
    return {};
  });
  if (!outcome) return ErrorResponse(outcome.error(), request.accept);
  return WholeResponse(201, "application/json", SuccessStatus().Dump() + "\n");
}

ResponsePtr Mutations::Evict(const ResourceRequest& request) {
  const Result<json::Value> eviction = DecodeBody(request.content_type, request.body);
  if (!eviction) return ErrorResponse(eviction.error(), request.accept);
  const std::string& name = (*eviction)["metadata"]["name"].StringOrEmpty();
  if (!name.empty() && name != request.info.name) {
    return ErrorResponse(BadRequestError("name in URL does not match name in Eviction object"),
                         request.accept);
  }
  WriteTarget target = TargetOf(request, false);
  target.subresource.clear();
  DeleteRequest options;
  options.grace_period_seconds = (*eviction)["deleteOptions"]["gracePeriodSeconds"].AsInt64();
  const auto outcome = writer_.Delete(target, options);
  if (!outcome) return ErrorResponse(outcome.error(), request.accept);
  return WholeResponse(201, "application/json", SuccessStatus().Dump() + "\n");
}

ResponsePtr Mutations::Review(const ResourceRequest& request) {
  Result<json::Value> object = DecodeObject(request.at, request.content_type, request.body);
  if (!object) return ErrorResponse(object.error(), request.accept);
  const std::string& plural = request.at.resource->plural;
  json::Value& status = (*object)["status"];
  if (plural == "tokenreviews") {
    status.Set("authenticated", false);
  } else {
    // Everybody may do everything here.
    status.Set("allowed", true);
  }
  return Answer(request, WriteOutcome{.record = Record::Make(*object, 0, {}), .created = true});
}

}  // namespace kinformer::apiserver
