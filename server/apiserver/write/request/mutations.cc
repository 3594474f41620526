#include "apiserver/write/request/mutations.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/internal/registry.h"

#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/selection.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/request/bulky.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/request/patch.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/request/collection_deletion.h"
#include "apiserver/write/request/node_limits.h"
#include "apiserver/write/request/request_body.h"
#include "apiserver/write/request/scale.h"
#include "apiserver/write/request/unstored_answer.h"
#include "apiserver/write/request/write_answer.h"

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

Result<json::Value> DecodePatch(const ResourceRequest& request) {
  Result<json::Value> patch = json::Parse(request.body);
  if (!patch) return BadRequestError("error decoding patch: " + patch.error().message());
  return patch;
}

// Format of an object's Scale in responses; outlives the request.
struct ScaleForm {
  ResourceAt at;
  std::string accept;
  OutputFormat format;
  WallTime now;
};

ScaleForm FormOfScale(const ResourceRequest& request, WallTime now) {
  return {
      .at = Unchanging(request.at), .accept = request.accept, .format = request.format, .now = now};
}

ResponsePtr ScaleAnswer(const ScaleForm& form, const json::Value& object, bool for_change) {
  const Result<json::Value> scale = ScaleOf(form.at, object, for_change);
  if (!scale) return ErrorResponse(scale.error(), form.accept);
  return UnstoredAnswer(form.at, form.format, 200, form.now, *scale);
}

// Completes a Scale that was sent, as webhooks see it.
void CompleteScale(const RequestInfo& info, json::Value& scale) {
  if (!info.namespace_.empty()) scale.Ensure("metadata").Set("namespace", info.namespace_);
  scale.Ensure("spec").EnsureObject();
  json::Value& status = scale.Ensure("status");
  if (!std::as_const(status).contains("replicas")) status.Set("replicas", 0);
}

// Returns whether a real server converts what the patch makes, and does not decode its JSON.
bool ConvertsResult(std::string_view content_type) {
  return IsMediaType(content_type, "application/strategic-merge-patch+json") ||
         IsMediaType(content_type, "application/apply-patch+yaml");
}

// `apply`: null if `sent` is a Scale and not a patch. `exact`: as CheckPatchedReplicas has it.
std::shared_ptr<const ChangedPart> PartOfScale(const ResourceAt& at, const RequestInfo& info,
                                               json::Value sent, PatchFunction apply, bool exact) {
  auto part = std::make_shared<ChangedPart>();
  part->of = [at](const json::Value& object) { return ScaleOf(at, object, /*for_change=*/true); };
  part->make = [at, info, apply, exact,
                sent = std::make_shared<const json::Value>(std::move(sent))](
                   const json::Value& object) -> Result<json::Value> {
    json::Value scale = *sent;
    if (apply != nullptr) {
      Result<json::Value> shown = ScaleOf(at, object, /*for_change=*/true);
      if (!shown) return shown;
      scale = *std::move(shown);
      // Only a resourceVersion in the patch is a precondition.
      scale.Ensure("metadata").Erase("resourceVersion");
      const KindInfo* const type = internal::FindType("autoscaling", "v1", "Scale");
      Result<void> applied = apply(*sent, type == nullptr ? nullptr : type->message, scale);
      if (!applied) return std::move(applied).error();
      if (Result<void> whole = CheckPatchedReplicas(scale, exact); !whole) {
        return std::move(whole).error();
      }
      const json::Value& count = std::as_const(scale)["spec"]["replicas"];
      if (count.is_number()) scale.Ensure("spec").Set("replicas", count.AsInt64().value_or(0));
    }
    if (Result<void> valid = CheckScale(at, info.name, scale); !valid) {
      return std::move(valid).error();
    }
    CompleteScale(info, scale);
    return scale;
  };
  part->put = [at, name = info.name](const json::Value& scale, json::Value& object) {
    if (Result<void> valid = CheckScale(at, name, scale); !valid) return valid;
    if (Result<void> valid = CheckReplicas(at, name, scale); !valid) return valid;
    return ApplyScale(at, scale, object);
  };
  return part;
}

// `name`: from the path; empty: the Binding's own.
Result<void> CheckBinding(const std::string& name, const json::Value& binding) {
  if (!name.empty() && binding.At("/metadata/name").StringOrEmpty() != name) {
    return BadRequestError("name in URL does not match name in Binding object");
  }
  // The real server's errors for these have no reason and the same code.
  const json::Value& node = binding["target"];
  if (const std::string& kind = node["kind"].StringOrEmpty(); !kind.empty() && kind != "Node") {
    return Error(Reason::kUnknown, "target.kind: Unsupported value: " + JsonString(kind) +
                                       R"(: supported values: "Node", "<empty>")")
        .WithHttpStatus(500);
  }
  if (node["name"].StringOrEmpty().empty()) {
    return Error(Reason::kUnknown, "target.name: Required value").WithHttpStatus(500);
  }
  return {};
}

// Writes the node of a Binding to its pod.
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
  pod.Ensure("spec").Set("nodeName", binding.At("/target/name").StringOrEmpty());
  for (const char* field : {"annotations", "labels"}) {
    for (const auto& [key, value] : binding["metadata"][field].members()) {
      pod.Ensure("metadata", field).Set(key, value);
    }
  }
  json::Array& conditions = pod.Ensure("status", "conditions").EnsureArray();
  std::erase_if(conditions, [](const json::Value& condition) {
    return condition["type"].StringOrEmpty() == "PodScheduled";
  });
  conditions.push_back(json::Value::MakeObject(
      {{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", now}}));
  return {};
}

// Returns the change of a pod by the Binding in `create`, which must outlive it.
ObjectChange ChangeOfBinding(const UnstoredCreate& create, WallTime now) {
  ObjectChange change{.target = TargetOf(create.request, create.dry_run)};
  change.target.name = create.object.At("/metadata/name").StringOrEmpty();
  change.target.subresource = "binding";
  change.target.keep_status = true;
  change.apply = [&binding = create.object, name = change.target.name, text = FormatTime(now)](
                     json::Value& pod) { return BindPod(binding, name, text, pod); };
  return change;
}

// Returns whether the request may change what is stored: reviews are only answered.
bool IsStored(const ResourceRequest& request) {
  return request.info.verb != Verb::kGet && request.at.resource->HasVerb("get");
}

// Returns the 507 for writes that the disk does not take.
Error NotKept(const std::string& what, const Error& why) {
  return Error(Reason::kUnknown, what + ": " + std::string(why.message())).WithHttpStatus(507);
}

}  // namespace

ResponsePtr Mutations::Answer(ResourceRequest request) {
  if (state_.keeper == nullptr || !IsStored(request)) {
    return Respond(state_.env, AnswerOf(std::move(request)));
  }
  if (const Error* const refusal = state_.keeper->storage().refusal(); refusal != nullptr) {
    return ErrorResponse(NotKept("the server takes no writes for now", *refusal), request.accept);
  }
  return Respond(state_.env, AnswerKept(std::move(request)));
}

Task<ResponsePtr> Mutations::AnswerOf(ResourceRequest&& request) {
  if (request.info.subresource == "scale") return AnswerScale(std::move(request));
  switch (request.info.verb) {
    case Verb::kCreate:
      return AnswerCreate(std::move(request));
    case Verb::kUpdate:
      return bodies_.Update(std::move(request));
    case Verb::kPatch:
      return bodies_.Patch(std::move(request));
    case Verb::kDelete:
      return bodies_.Delete(std::move(request));
    default:
      return AnswerDeleteCollection(std::move(request));
  }
}

Task<ResponsePtr> Mutations::AnswerKept(ResourceRequest request) {
  const std::string accept = request.accept;
  ResponsePtr answer = co_await AnswerOf(std::move(request));
  Storage& storage = state_.keeper->storage();
  if (storage.written()) co_return answer;
  Called<Result<void>> written(
      [&](Called<Result<void>>::Done done) { return storage.WhenWritten(std::move(done)); });
  const Result<void> kept = co_await written;
  if (kept) co_return answer;
  co_return ErrorResponse(
      NotKept("the change is made, but not on the disk: it is lost if the server ends before that",
              kept.error()),
      accept);
}

Task<ResponsePtr> Mutations::AnswerCreate(ResourceRequest request) {
  const std::string& subresource = request.info.subresource;
  const bool binds = subresource == "binding" ||
                     (request.at.resource->plural == "bindings" && subresource.empty());
  const bool evicts = subresource == "eviction";
  const bool unstored = binds || evicts || subresource == "token";
  if (!unstored && !subresource.empty()) {
    co_return ErrorResponse(MethodNotAllowedError(), request.accept);
  }
  if (!unstored && request.at.resource->HasVerb("get")) {
    co_return co_await bodies_.Create(std::move(request));
  }
  const auto query = DecodeWriteQuery(request.info.query, "CreateOptions");
  if (!query) co_return ErrorResponse(query.error(), request.accept);
  if (evicts) co_return co_await evictions_.Evict(std::move(request), query->dry_run);
  const std::size_t cost = DecodingCost(request.content_type, request.body);
  Result<json::Value> sent = co_await off_loop_.Do(cost, [&] {
    return unstored ? DecodeBody(request.content_type, request.body)
                    : DecodeObject(request.at, request.content_type, request.body);
  });
  if (!sent) co_return ErrorResponse(sent.error(), request.accept);
  Bulky<UnstoredCreate> create(
      state_, cost,
      UnstoredCreate{
          .request = std::move(request), .dry_run = query->dry_run, .object = *std::move(sent)});
  if (const Result<void> may = CheckNodesCreate(bodies_.plugins(), *create); !may) {
    co_return create->Fail(may.error());
  }
  if (binds) co_return co_await Bind(*create);
  if (unstored) co_return co_await RequestToken(*create);
  co_return co_await Review(*create);
}

Task<ResponsePtr> Mutations::AnswerDeleteCollection(ResourceRequest request) {
  const std::string accept = request.accept;
  const Query& query = request.info.query;
  const auto selection = Selection::Make(request.at, request.info.namespace_,
                                         query.Get("labelSelector"), query.Get("fieldSelector"));
  if (!selection) co_return ErrorResponse(selection.error(), accept);
  const auto limit = query.GetInt("limit");
  Result<DecodedDelete> options = co_await off_loop_.Do(
      DecodingCost(request.content_type, request.body),
      [&] { return DecodeDelete(query, request.content_type, request.body); });
  if (!options) co_return ErrorResponse(options.error(), accept);
  if (!limit) co_return ErrorResponse(limit.error(), accept);
  ReadFrom from{.at = request.at, .resource_version = state_.resource_version};
  if (IsConverted(request.at)) {
    Result<ReadFrom> converted = co_await caches_.Current(request.at);
    if (!converted) co_return ErrorResponse(converted.error(), accept);
    from = *std::move(converted);
  }
  CollectionDeletionPlan plan{.request = std::move(request),
                              .selection = *selection,
                              .limit = limit->value_or(0),
                              .dry_run = options->dry_run,
                              .each = std::move(options->request),
                              .plugins = bodies_.plugins(),
                              .listed = std::move(from.at),
                              .resource_version = from.resource_version};
  co_return co_await DeleteCollectionInTurns(state_, writer_, off_loop_, admission_,
                                             std::move(plan));
}

Task<ResponsePtr> Mutations::AnswerScale(ResourceRequest request) {
  const ServedResource& resource = *request.at.resource;
  StoredObjectPtr stored = resource.Find(request.info.namespace_, request.info.name);
  if (stored == nullptr) {
    co_return ErrorResponse(NotFoundError(resource.Subject(request.info.name)), request.accept);
  }
  if (request.info.verb == Verb::kGet) co_return co_await ShowScale(request, std::move(stored));
  const bool patches = request.info.verb == Verb::kPatch;
  const auto query =
      DecodeWriteQuery(request.info.query, patches ? "PatchOptions" : "UpdateOptions");
  if (!query) co_return ErrorResponse(query.error(), request.accept);
  PatchFunction apply = nullptr;  // null: the body is a Scale
  if (patches) {
    apply = PatchFunctionOf(request.content_type, /*custom=*/false);
    if (apply == nullptr) co_return ErrorResponse(UnsupportedPatchError(), request.accept);
  }
  const std::size_t cost = DecodingCost(request.content_type, request.body);
  Result<json::Value> sent = co_await off_loop_.Do(cost, [&] {
    return patches ? DecodePatch(request) : DecodeBody(request.content_type, request.body);
  });
  if (!sent) co_return ErrorResponse(sent.error(), request.accept);
  ObjectChange change{.target = TargetOf(request, query->dry_run)};
  change.target.subresource.clear();
  const ScaleForm form = FormOfScale(request, state_.env.WallNow());
  Bulky<std::shared_ptr<const ChangedPart>> part(
      state_, cost,
      PartOfScale(form.at, request.info, *std::move(sent), apply,
                  /*exact=*/!ConvertsResult(request.content_type)));
  change.part = *part;
  change.answer = [form](const WriteOutcome& outcome) {
    return ScaleAnswer(form, outcome.stored->Parse(), /*for_change=*/true);
  };
  co_return co_await bodies_.Change(std::move(request), std::move(change));
}

Task<ResponsePtr> Mutations::ShowScale(const ResourceRequest& request, StoredObjectPtr stored) {
  const Result<StoredObjectPtr> shown = co_await converter_.Convert(request.at, std::move(stored));
  if (!shown) co_return ErrorResponse(shown.error(), request.accept);
  const ScaleForm form = FormOfScale(request, state_.env.WallNow());
  co_return co_await off_loop_.Do((*shown)->body().size(), [&] {
    return ScaleAnswer(form, (*shown)->Parse(), /*for_change=*/false);
  });
}

Task<ResponsePtr> Mutations::Bind(UnstoredCreate& create) {
  const auto check = [&](const json::Value& binding) {
    return CheckBinding(create.request.info.name, binding);
  };
  const Result<void> admitted = co_await AdmitCreation(admission_, create, check);
  if (!admitted) co_return create.Fail(admitted.error());
  ResourceRequest& request = create.request;
  request.at = state_.resources.Find("", "v1", "pods");
  ObjectChange change = ChangeOfBinding(create, state_.env.WallNow());
  change.answer = [pretty = request.format.pretty](const WriteOutcome&) {
    return SuccessAnswer(pretty);
  };
  ResponsePtr answer = co_await bodies_.Change(std::move(request), std::move(change));
  co_return Warned(std::move(answer), create.warnings);
}

Task<Result<void>> Mutations::ScaleReviewed(ResourceRequest request, const json::Value& replicas) {
  json::Value patch =
      json::Value::MakeObject({{"spec", json::Value::MakeObject({{"replicas", replicas}})}});
  ObjectChange change{.target = TargetOf(request, /*dry_run=*/false)};
  change.target.subresource.clear();
  change.part = PartOfScale(Unchanging(request.at), request.info, std::move(patch),
                            PatchFunctionOf("application/merge-patch+json", /*custom=*/false),
                            /*exact=*/true);
  return bodies_.ChangeReviewed(std::move(request), std::move(change));
}

Task<Result<void>> Mutations::BindReviewed(ResourceRequest request, json::Value pod) {
  const std::string name = request.info.name;
  const json::Value& metadata = std::as_const(pod)["metadata"];
  json::Value named = json::Value::MakeObject({{"name", name}, {"uid", metadata["uid"]}});
  json::Value node =
      json::Value::MakeObject({{"kind", "Node"}, {"name", std::as_const(pod)["spec"]["nodeName"]}});
  UnstoredCreate create{.request = std::move(request)};
  create.request.info.subresource = "binding";
  create.object = json::Value::MakeObject({{"apiVersion", "v1"},
                                           {"kind", "Binding"},
                                           {"metadata", std::move(named)},
                                           {"target", std::move(node)}});
  const auto check = [&](const json::Value& binding) { return CheckBinding(name, binding); };
  const Result<void> admitted = co_await AdmitCreation(admission_, create, check);
  if (!admitted) co_return admitted.error();
  ObjectChange change = ChangeOfBinding(create, state_.env.WallNow());
  co_return co_await bodies_.ChangeReviewed(std::move(create.request), std::move(change));
}

Task<ResponsePtr> Mutations::RequestToken(UnstoredCreate& create) {
  const WriteTarget target = TargetOf(create.request, create.dry_run);
  ServiceAccountTokens::Default(create.object);
  const auto check = [&](json::Value& token) { return tokens_.Complete(target, token); };
  const Result<void> admitted = co_await AdmitCreation(admission_, create, check);
  if (!admitted) co_return create.Fail(admitted.error());
  const auto issued = tokens_.Issue(target, std::move(create.object));
  if (!issued) co_return create.Fail(issued.error());
  const ResourceRequest& request = create.request;
  ResponsePtr answer =
      UnstoredAnswer(request.at, request.format, 201, state_.env.WallNow(), *issued);
  co_return Warned(std::move(answer), create.warnings);
}

Task<ResponsePtr> Mutations::Review(UnstoredCreate& create) {
  const auto check = [](const json::Value&) -> Result<void> { return {}; };
  const Result<void> admitted = co_await AdmitCreation(admission_, create, check);
  if (!admitted) co_return create.Fail(admitted.error());
  const ResourceRequest& request = create.request;
  const std::size_t cost = DecodingCost(request.content_type, request.body);
  Result<json::Value> review =
      reviews_.Answer(request.at, request.info.namespace_, *request.user, std::move(create.object));
  if (!review) co_return create.Fail(review.error());
  create.object = *std::move(review);
  ResponsePtr answer = co_await off_loop_.Do(cost, [&] {
    const WriteOutcome outcome{.stored = StoredObject::Make(create.object, 0, {}), .created = true};
    return WriteAnswer(state_, request, outcome);
  });
  co_return Warned(std::move(answer), create.warnings);
}

}  // namespace kinformer::apiserver
