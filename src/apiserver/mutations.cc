#include "apiserver/mutations.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "kinformer/yaml.h"

#include "apiserver/list_stream.h"
#include "apiserver/object_encoder.h"
#include "apiserver/object_rules.h"
#include "apiserver/patch.h"
#include "apiserver/protobuf_envelope.h"
#include "apiserver/request_body.h"
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

json::Value SuccessStatus() {
  return json::Value::MakeObject({{"kind", "Status"},
                                  {"apiVersion", "v1"},
                                  {"metadata", json::Value::MakeObject()},
                                  {"status", "Success"}});
}

std::string PointerOf(std::string path, std::string_view otherwise) {
  if (path.empty()) return std::string(otherwise);
  std::replace(path.begin(), path.end(), '.', '/');
  return path;
}

struct ScalePointers {
  std::string spec;
  std::string status;
  std::string selector;
};

ScalePointers ScalePointersOf(const ServedResource& resource) {
  return {.spec = PointerOf(resource.scale_spec_path, "/spec/replicas"),
          .status = PointerOf(resource.scale_status_path, "/status/replicas"),
          .selector = PointerOf(resource.scale_selector_path, "/spec/selector")};
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

json::Value ScaleOf(const ServedResource& resource, const json::Value& object) {
  const ScalePointers at = ScalePointersOf(resource);
  json::Value metadata = json::Value::MakeObject();
  for (const char* name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    metadata.Set(name, object["metadata"][name]);
  }
  json::Value status =
      json::Value::MakeObject({{"replicas", object.At(at.status).AsInt64().value_or(0)}});
  if (const std::string selector = SelectorText(object.At(at.selector)); !selector.empty()) {
    status.Set("selector", selector);
  }
  return json::Value::MakeObject(
      {{"kind", "Scale"},
       {"apiVersion", "autoscaling/v1"},
       {"metadata", std::move(metadata)},
       {"spec", json::Value::MakeObject({{"replicas", object.At(at.spec).AsInt64().value_or(0)}})},
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
  if (!outcome) return ErrorResponse(outcome.error(), request.accept);
  const ObjectEncoder encoder(request.at, request.format, state_.env.WallNow());
  HttpHeaders headers;
  headers.Add("Content-Type", ContentTypeOf(request.format, false));
  for (const std::string& warning : warnings)
    headers.Add("Warning", "299 - " + JsonString(warning));
  if (const std::string& text = request.at.version->deprecation_warning; !text.empty()) {
    headers.Add("Warning", "299 - " + JsonString(text));
  }
  return WholeResponse(outcome->created ? 201 : 200, std::move(headers),
                       encoder.Object(outcome->record));
}

Result<std::vector<std::string>> Mutations::ValidateFields(
    const ResourceRequest& request, const json::Value& object,
    const std::vector<std::string>& duplicates) const {
  const std::string_view mode = request.info.query.Get("fieldValidation");
  if (mode.empty() || mode == "Ignore") return std::vector<std::string>();
  if (mode != "Warn" && mode != "Strict") {
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
  if (mode == "Strict" && !problems.empty()) {
    std::string text;
    for (const std::string& problem : problems) text += (text.empty() ? "" : ", ") + problem;
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
  return Answer(request, writer_.Modify(target, [&](json::Value& object) -> Result<void> {
    // Without a resourceVersion of its own the patch goes onto whatever is there.
    return apply(*patch, object);
  }));
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
  const auto selection = Selection::Make(*request.at.resource, request.info.namespace_,
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
  json::Value scale = ScaleOf(resource, record->Parse());
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
  const auto dry_run = DecodeDryRun(request.info.query.Get("dryRun"), "UpdateOptions");
  if (!dry_run) return ErrorResponse(dry_run.error(), request.accept);
  WriteTarget target = TargetOf(request, *dry_run);
  target.subresource.clear();
  const auto outcome = writer_.Modify(target, [&](json::Value& object) -> Result<void> {
    const std::string version =
        std::as_const(scale).At("/metadata/resourceVersion").StringOrEmpty();
    if (!version.empty()) object["metadata"].Set("resourceVersion", version);
    return object.SetPointer(ScalePointersOf(resource).spec,
                             std::as_const(scale).At("/spec/replicas").AsInt64().value_or(0));
  });
  if (!outcome) return ErrorResponse(outcome.error(), request.accept);
  return WholeResponse(200, ContentTypeOf(format, false),
                       Render(format, ScaleOf(resource, outcome->record->Parse()).Dump()));
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
