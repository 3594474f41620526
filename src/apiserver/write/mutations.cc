#include "apiserver/write/mutations.h"

#include <functional>
#include <utility>
#include <vector>

#include "apiserver/builtin/field_rules.h"
#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/read/list_stream.h"
#include "apiserver/registry/custom_object.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/selection.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/request/patch.h"
#include "apiserver/request/responses.h"
#include "apiserver/schema/schema_validation.h"
#include "apiserver/write/apply_patch.h"
#include "apiserver/write/eviction.h"
#include "apiserver/write/request_body.h"
#include "apiserver/write/scale.h"
#include "object/transcode/drop_unknown.h"
#include "object/transcode/transcode.h"

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

// What binding and eviction answer.
ResponsePtr Done(const ResourceRequest& request) {
  const json::Value status = json::Value::MakeObject({{"kind", "Status"},
                                                      {"apiVersion", "v1"},
                                                      {"metadata", json::Value::MakeObject()},
                                                      {"status", "Success"},
                                                      {"code", 201}});
  const OutputFormat format{.media = MediaType::kJson, .pretty = request.format.pretty};
  return WholeResponse(201, ContentTypeOf(format, false), Render(format, status.Dump()));
}

// Puts the node of a Binding into its pod.
Result<void> BindPod(const json::Value& binding, const std::string& name, std::string_view now,
                     json::Value& pod) {
  const json::Value& given = pod;
  const auto refuse = [&](const std::string& why) {
    return ConflictError({.resource = "pods/binding", .name = name}, why);
  };
  if (const std::string& uid = binding.At("/metadata/uid").StringOrEmpty();
      !uid.empty() && uid != given.At("/metadata/uid").StringOrEmpty()) {
    return UidPreconditionError({.resource = "pods", .name = name}, uid,
                                given.At("/metadata/uid").StringOrEmpty());
  }
  if (!given.At("/metadata/deletionTimestamp").is_null()) {
    return refuse("pod " + name + " is being deleted, cannot be assigned to a host");
  }
  if (const std::string& node = given.At("/spec/nodeName").StringOrEmpty(); !node.empty()) {
    return refuse("pod " + name + " is already assigned to node \"" + node + "\"");
  }
  if (given.At("/spec/schedulingGates").size() > 0) {
    return refuse("pod " + name + " has non-empty .spec.schedulingGates");
  }
  pod["spec"].Set("nodeName", binding.At("/target/name").StringOrEmpty());
  for (const char* field : {"annotations", "labels"}) {
    for (const auto& [key, value] : binding["metadata"][field].members()) {
      pod["metadata"][field].Set(key, value);
    }
  }
  json::Array& conditions = pod["status"]["conditions"].EnsureArray();
  std::erase_if(conditions, [](const json::Value& condition) {
    return condition["type"].StringOrEmpty() == "PodScheduled";
  });
  conditions.push_back(json::Value::MakeObject(
      {{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", now}}));
  return {};
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
    return Warned(ErrorResponse(outcome.error(), request.accept), warnings);
  }
  const ObjectEncoder encoder(request.at, request.format, state_.env.WallNow());
  HttpHeaders headers;
  headers.Add("Content-Type", ContentTypeOf(request.format, false));
  std::vector<std::string> all = warnings;
  all.insert(all.end(), outcome->warnings.begin(), outcome->warnings.end());
  AddWarnings(all, headers);
  return WholeResponse(outcome->created ? 201 : 200, std::move(headers),
                       encoder.Object(outcome->stored, outcome->document));
}

Result<std::vector<std::string>> Mutations::ValidateFields(
    const ResourceRequest& request, std::string_view mode, json::Value& object,
    const std::vector<std::string>& duplicates) const {
  std::vector<std::string> problems;
  for (const std::string& pointer : duplicates) {
    problems.push_back("duplicate field \"" + DottedPath(pointer) + "\"");
  }
  if (const auto* message = request.at.version->message;
      message != nullptr && state_.options.check_types &&
      !writer_.Fits(*request.at.version, object)) {
    internal::FieldProblems found;
    const auto typed = internal::JsonToProtobuf(*message, object.Dump(), &found);
    if (!typed) return BadRequestError(typed.error().message());
    problems.insert(problems.end(), found.unknown.begin(), found.unknown.end());
    if (found.more > 0) problems.push_back(std::to_string(found.more) + " more unknown fields");
    if (!found.unknown.empty()) internal::DropUnknownMembers(*message, object);
  }
  for (std::string& problem : UnknownFieldProblems(request.at, object)) {
    problems.push_back(std::move(problem));
  }
  if (mode == "Ignore") problems.clear();
  if (mode == "Strict" && !problems.empty()) {
    std::string text;
    for (const std::string& problem : problems) text += (text.empty() ? "" : ", ") + problem;
    return BadRequestError("strict decoding error: " + text);
  }
  return problems;
}

ResponsePtr Mutations::WriteBody(const ResourceRequest& request, std::string_view options_kind,
                                 const Write& write) {
  const auto fail = [&](const Error& error) { return ErrorResponse(error, request.accept); };
  const auto query = DecodeWriteQuery(request.info.query, options_kind);
  if (!query) return fail(query.error());
  std::vector<std::string> duplicates;
  Result<json::Value> object =
      DecodeObject(request.at, request.content_type, request.body, &duplicates);
  if (!object) return fail(object.error());
  const auto warnings = ValidateFields(request, query->field_validation, *object, duplicates);
  if (!warnings) return fail(request.at.version->NotHandled(warnings.error().message()));
  WriteTarget target = TargetOf(request, query->dry_run);
  target.checked = true;
  return Answer(request, write(target, *std::move(object)), *warnings);
}

ResponsePtr Mutations::Create(const ResourceRequest& request) {
  const std::string& subresource = request.info.subresource;
  const bool binds = subresource == "binding" ||
                     (request.at.resource->plural == "bindings" && subresource.empty());
  if (binds || subresource == "eviction" || subresource == "token") {
    const auto query = DecodeWriteQuery(request.info.query, "CreateOptions");
    if (!query) return ErrorResponse(query.error(), request.accept);
    if (binds) return Bind(request, query->dry_run);
    return subresource == "token" ? RequestToken(request, query->dry_run)
                                  : Evict(request, query->dry_run);
  }
  if (!subresource.empty() || !request.info.name.empty()) {
    return ErrorResponse(MethodNotAllowedError(), request.accept);
  }
  if (!request.at.resource->HasVerb("get")) return Review(request);
  return WriteBody(request, "CreateOptions", [&](const WriteTarget& target, json::Value object) {
    return writer_.Create(target, std::move(object));
  });
}

ResponsePtr Mutations::Update(const ResourceRequest& request) {
  return WriteBody(request, "UpdateOptions", [&](const WriteTarget& target, json::Value object) {
    return writer_.Update(target, std::move(object));
  });
}

ResponsePtr Mutations::Patch(const ResourceRequest& request) {
  const auto fail = [&](const Error& error) { return ErrorResponse(error, request.accept); };
  const Query& query = request.info.query;
  const bool custom = request.at.resource->custom;
  const PatchFunction apply = PatchFunctionOf(request.content_type, custom);
  if (apply == nullptr) {
    if (!custom) return fail(UnsupportedPatchError());
    return fail(UnsupportedMediaTypeError(
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"));
  }
  const bool server_side = IsMediaType(request.content_type, "application/apply-patch+yaml");
  std::vector<StatusCause> causes;
  if (query.Has("force") && !server_side) {
    causes.push_back(ForbiddenField("force", "may not be specified for non-apply patch"));
  }
  if (server_side && query.Get("fieldManager").empty()) {
    causes.push_back(Required("fieldManager", "is required for apply patch"));
  }
  const auto options = DecodeWriteQuery(query, "PatchOptions", std::move(causes));
  if (!options) return fail(options.error());

  WriteTarget target = TargetOf(request, options->dry_run);
  target.checked = true;
  Result<json::Value> patch = json::Value();
  std::vector<std::string> warnings;
  if (server_side) {
    Result<ApplyPatch> applied = DecodeApplyPatch(
        request.at, request.body, options->field_validation, state_.options.check_types);
    if (!applied) return fail(applied.error());
    patch = std::move(applied->object);
    warnings = std::move(applied->warnings);
    if (target.subresource.empty() &&
        request.at.resource->Find(target.namespace_, target.name) == nullptr) {
      if (auto fit = CheckAppliedCreate(request.at, *patch, target.namespace_, target.name); !fit) {
        return fail(fit.error());
      }
      // With a version the object is meant to be there; the real server takes it for a new one all
      // the same.
      (*patch)["metadata"].Erase("resourceVersion");
      return Answer(request, writer_.Create(target, *patch), warnings);
    }
  } else {
    patch = json::Parse(request.body);
  }
  if (!patch) return fail(BadRequestError("error decoding patch: " + patch.error().message()));
  const auto outcome = writer_.Modify(target, [&](json::Value& object) -> Result<void> {
    const std::string uid = std::as_const(object).At("/metadata/uid").StringOrEmpty();
    // Without a resourceVersion of its own the patch goes onto whatever is there.
    if (Result<void> applied = apply(*patch, object); !applied) return applied;
    auto checked = CheckPatched(request, options->field_validation, uid, object);
    if (!checked) return checked.error();
    warnings.insert(warnings.end(), checked->begin(), checked->end());
    return {};
  });
  return Answer(request, outcome, warnings);
}

Result<std::vector<std::string>> Mutations::CheckPatched(const ResourceRequest& request,
                                                         std::string_view mode,
                                                         const std::string& uid,
                                                         json::Value& object) const {
  const auto invalid = [&](const std::string& why) {
    return InvalidError({},
                        {InvalidValue("patch", GoQuoted(object.Dump({.sort_keys = true})), why)});
  };
  const json::Value& patched = object;
  if (const std::string& sent = patched.At("/metadata/uid").StringOrEmpty();
      !sent.empty() && sent != uid) {
    return InvalidError(request.at.resource->KindSubject(request.info.name),
                        {InvalidValue("metadata.uid", JsonString(sent), "field is immutable")});
  }
  if (patched["kind"].StringOrEmpty() != request.at.version->kind ||
      patched["apiVersion"].StringOrEmpty() != request.at.version->api_version) {
    return invalid("the result of the patch must be a " + request.at.version->kind + " of " +
                   request.at.version->api_version);
  }
  auto warnings = ValidateFields(request, mode, object, {});
  if (!warnings) return invalid(warnings.error().message());
  return warnings;
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
        Envelope("v1", "Status", DeletedStatusProtobuf(subject, outcome->stored->uid())));
  }
  return WholeResponse(200, ContentTypeOf(request.format, false),
                       Render(request.format, DeletedStatusJson(subject, outcome->stored->uid())));
}

ResponsePtr Mutations::DeleteCollection(const ResourceRequest& request) {
  const Query& query = request.info.query;
  const auto options = DecodeDelete(query, request.content_type, request.body);
  if (!options) return ErrorResponse(options.error(), request.accept);
  const auto selection = Selection::Make(request.at, request.info.namespace_,
                                         query.Get("labelSelector"), query.Get("fieldSelector"));
  if (!selection) return ErrorResponse(selection.error(), request.accept);
  const auto limit = query.GetInt("limit");
  if (!limit) return ErrorResponse(limit.error(), request.accept);
  const std::int64_t most = limit->value_or(0);
  const std::int64_t version = state_.resource_version;
  // The answer shows what was there before; it holds its version while the objects go.
  auto answer = NewListStream(
      state_.env, ObjectEncoder(request.at, request.format, state_.env.WallNow()),
      {.selection = *selection,
       .resource_version = version,
       .limit = most,
       .remaining =
           static_cast<std::int64_t>(request.at.resource->store->size(request.info.namespace_))});
  std::vector<StoredObjectPtr> selected;
  request.at.resource->store->Walk(
      selection->prefix(), {}, version, [&](const StoredObjectPtr& stored) {
        if (selection->InScope(*stored) && selection->Matches(*stored)) selected.push_back(stored);
        return most <= 0 || selected.size() < static_cast<std::size_t>(most);
      });
  for (const StoredObjectPtr& stored : selected) {
    WriteTarget target = TargetOf(request, options->dry_run);
    target.namespace_ = stored->namespace_();
    target.name = stored->name();
    const auto outcome = writer_.Delete(target, options->request);
    if (!outcome && !IsNotFound(outcome.error()))
      return ErrorResponse(outcome.error(), request.accept);
  }
  return answer;
}

ResponsePtr Mutations::Scale(const ResourceRequest& request) {
  const auto fail = [&](const Error& error) { return ErrorResponse(error, request.accept); };
  const ServedResource& resource = *request.at.resource;
  const StoredObjectPtr stored = resource.Find(request.info.namespace_, request.info.name);
  if (stored == nullptr) return fail(NotFoundError(resource.Subject(request.info.name)));
  const bool reads = request.info.verb == Verb::kGet;
  Result<json::Value> shown = ScaleOf(request.at, stored->Parse(), /*for_change=*/!reads);
  if (!shown) return fail(shown.error());
  json::Value scale = *std::move(shown);
  const OutputFormat format{.media = MediaType::kJson, .pretty = request.format.pretty};
  if (reads) {
    return WholeResponse(200, ContentTypeOf(format, false), Render(format, scale.Dump()));
  }
  const bool patches = request.info.verb == Verb::kPatch;
  const auto query =
      DecodeWriteQuery(request.info.query, patches ? "PatchOptions" : "UpdateOptions");
  if (!query) return fail(query.error());
  if (patches) {
    const PatchFunction apply = PatchFunctionOf(request.content_type, /*custom=*/false);
    if (apply == nullptr) return fail(UnsupportedPatchError());
    const Result<json::Value> patch = json::Parse(request.body);
    if (!patch) return fail(BadRequestError("error decoding patch: " + patch.error().message()));
    // Only a resourceVersion that is in the patch is a condition.
    scale["metadata"].Erase("resourceVersion");
    if (Result<void> applied = apply(*patch, scale); !applied) return fail(applied.error());
  } else {
    Result<json::Value> sent = DecodeBody(request.content_type, request.body);
    if (!sent) return fail(sent.error());
    scale = *std::move(sent);
  }
  if (Result<void> valid = CheckScale(request.at, request.info.name, scale); !valid)
    return fail(valid.error());
  WriteTarget target = TargetOf(request, query->dry_run);
  target.subresource.clear();
  const auto outcome = writer_.Modify(target, [&](json::Value& object) -> Result<void> {
    return ApplyScale(request.at, scale, object);
  });
  if (!outcome) return fail(outcome.error());
  shown = ScaleOf(request.at, outcome->stored->Parse(), /*for_change=*/true);
  if (!shown) return fail(shown.error());
  return WholeResponse(200, ContentTypeOf(format, false), Render(format, shown->Dump()));
}

ResponsePtr Mutations::Bind(const ResourceRequest& request, bool dry_run) {
  const auto fail = [&](const Error& error) { return ErrorResponse(error, request.accept); };
  const Result<json::Value> binding = DecodeBody(request.content_type, request.body);
  if (!binding) return fail(binding.error());
  const std::string& name = (*binding).At("/metadata/name").StringOrEmpty();
  if (!request.info.name.empty() && name != request.info.name) {
    return fail(BadRequestError("name in URL does not match name in Binding object"));
  }
  // The real server's answers to these have neither a reason nor a better code.
  const json::Value& node = (*binding)["target"];
  if (const std::string& kind = node["kind"].StringOrEmpty(); !kind.empty() && kind != "Node") {
    return fail(Error(Reason::kUnknown, "target.kind: Unsupported value: " + JsonString(kind) +
                                            R"(: supported values: "Node", "<empty>")")
                    .WithHttpStatus(500));
  }
  if (node["name"].StringOrEmpty().empty()) {
    return fail(Error(Reason::kUnknown, "target.name: Required value").WithHttpStatus(500));
  }
  WriteTarget target = TargetOf(request, dry_run);
  target.at = state_.resources.Find("", "v1", "pods");
  target.name = name;
  target.subresource = "binding";
  target.keep_status = true;
  const auto outcome = writer_.Modify(target, [&](json::Value& pod) {
    return BindPod(*binding, name, FormatTime(state_.env.WallNow()), pod);
  });
  return outcome ? Done(request) : fail(outcome.error());
}

ResponsePtr Mutations::Evict(const ResourceRequest& request, bool dry_run) {
  const Result<json::Value> eviction = DecodeBody(request.content_type, request.body);
  if (!eviction) return ErrorResponse(eviction.error(), request.accept);
  const auto evicted = apiserver::Evict(state_, writer_, TargetOf(request, dry_run), *eviction);
  return evicted ? Done(request) : ErrorResponse(evicted.error(), request.accept);
}

ResponsePtr Mutations::RequestToken(const ResourceRequest& request, bool dry_run) {
  const auto fail = [&](const Error& error) { return ErrorResponse(error, request.accept); };
  Result<json::Value> body = DecodeBody(request.content_type, request.body);
  if (!body) return fail(body.error());
  const auto token = reviews_.RequestToken(TargetOf(request, dry_run), *std::move(body));
  if (!token) return fail(token.error());
  const OutputFormat format{.media = MediaType::kJson, .pretty = request.format.pretty};
  return WholeResponse(201, ContentTypeOf(format, false), Render(format, token->Dump()));
}

ResponsePtr Mutations::Review(const ResourceRequest& request) {
  Result<json::Value> object = DecodeObject(request.at, request.content_type, request.body);
  if (!object) return ErrorResponse(object.error(), request.accept);
  const auto answer =
      reviews_.Answer(request.at, request.info.namespace_, request.user, *std::move(object));
  if (!answer) return ErrorResponse(answer.error(), request.accept);
  return Answer(request,
                WriteOutcome{.stored = StoredObject::Make(*answer, 0, {}), .created = true});
}

}  // namespace kinformer::apiserver
