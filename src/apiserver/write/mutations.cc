#include "apiserver/write/mutations.h"

#include <functional>
#include <utility>
#include <vector>

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/selection.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/request/patch.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/collection_deletion.h"
#include "apiserver/write/eviction.h"
#include "apiserver/write/request_body.h"
#include "apiserver/write/scale.h"

namespace kinformer::apiserver {
namespace {

WriteTarget TargetOf(const ResourceRequest& request, bool dry_run) {
  return {.at = request.at,
          .namespace_ = request.info.namespace_,
          .name = request.info.name,
          .subresource = request.info.subresource,
          .dry_run = dry_run,
          .user = request.user};
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

}  // namespace

ResponsePtr Mutations::Create(ResourceRequest request) {
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
  return bodies_.Create(std::move(request));
}

ResponsePtr Mutations::Delete(const ResourceRequest& request) {
  const auto options = DecodeDelete(request.info.query, request.content_type, request.body);
  if (!options) return ErrorResponse(options.error(), request.accept);
  auto outcome = writer_.Delete(TargetOf(request, options->dry_run), options->request);
  if (!outcome) return ErrorResponse(outcome.error(), request.accept);
  outcome->accepted = !outcome->removed && options->cascades;
  if (!outcome->removed || request.at.resource->delete_returns_object)
    return WriteAnswer(state_, request, outcome);
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
  const auto selection = Selection::Make(request.at, request.info.namespace_,
                                         query.Get("labelSelector"), query.Get("fieldSelector"));
  if (!selection) return ErrorResponse(selection.error(), request.accept);
  const auto options = DecodeDelete(query, request.content_type, request.body);
  if (!options) return ErrorResponse(options.error(), request.accept);
  const auto limit = query.GetInt("limit");
  if (!limit) return ErrorResponse(limit.error(), request.accept);
  return DeleteCollectionInTurns(state_, writer_,
                                 {.request = request,
                                  .selection = *selection,
                                  .limit = limit->value_or(0),
                                  .dry_run = options->dry_run,
                                  .each = options->request});
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
  const auto token = tokens_.Issue(TargetOf(request, dry_run), *std::move(body));
  if (!token) return fail(token.error());
  const OutputFormat format{.media = MediaType::kJson, .pretty = request.format.pretty};
  return WholeResponse(201, ContentTypeOf(format, false), Render(format, token->Dump()));
}

ResponsePtr Mutations::Review(const ResourceRequest& request) {
  Result<json::Value> object = DecodeObject(request.at, request.content_type, request.body);
  if (!object) return ErrorResponse(object.error(), request.accept);
  const auto answer =
      reviews_.Answer(request.at, request.info.namespace_, *request.user, *std::move(object));
  if (!answer) return ErrorResponse(answer.error(), request.accept);
  return WriteAnswer(state_, request,
                     WriteOutcome{.stored = StoredObject::Make(*answer, 0, {}), .created = true});
}

}  // namespace kinformer::apiserver
