#include "apiserver/write/mutations.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/internal/registry.h"

#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/selection.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/request/patch.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/request_body.h"
#include "apiserver/write/scale.h"
#include "apiserver/write/unstored_answer.h"

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

// Returns the response to a binding or an eviction.
ResponsePtr Done(bool pretty) {
  const json::Value status = json::Value::MakeObject({{"kind", "Status"},
                                                      {"apiVersion", "v1"},
                                                      {"metadata", json::Value::MakeObject()},
                                                      {"status", "Success"},
                                                      {"code", 201}});
  const OutputFormat format{.media = MediaType::kJson, .pretty = pretty};
  return WholeResponse(201, ContentTypeOf(format, false), Render(format, status.Dump()));
}

Result<json::Value> Sent(const ResourceRequest& request) {
  return DecodeBody(request.content_type, request.body);
}
Result<json::Value> SentObject(const ResourceRequest& request) {
  return DecodeObject(request.at, request.content_type, request.body);
}
Result<json::Value> SentPatch(const ResourceRequest& request) {
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

// `apply`: null if `sent` is a Scale and not a patch.
std::shared_ptr<const ChangedPart> PartOfScale(const ResourceAt& at, const RequestInfo& info,
                                               json::Value sent, PatchFunction apply) {
  auto part = std::make_shared<ChangedPart>();
  part->of = [at](const json::Value& object) { return ScaleOf(at, object, /*for_change=*/true); };
  part->make = [at, info, apply, sent = std::make_shared<const json::Value>(std::move(sent))](
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

}  // namespace

ResponsePtr Mutations::WithBody(ResourceRequest request, Decoder decode, Then then) {
  struct Job {
    ResourceRequest request{};
    Result<json::Value> body = json::Value();
  };
  const std::size_t cost = DecodingCost(request.content_type, request.body);
  const auto job = std::make_shared<Job>(Job{.request = std::move(request)});
  return off_loop_.Run(
      cost, [job, decode] { job->body = decode(job->request); },
      [job, then = std::move(then)] {
        if (!job->body) return ErrorResponse(job->body.error(), job->request.accept);
        return then(std::move(job->request), *std::move(job->body));
      });
}

ResponsePtr Mutations::Create(ResourceRequest request) {
  const std::string& subresource = request.info.subresource;
  const bool binds = subresource == "binding" ||
                     (request.at.resource->plural == "bindings" && subresource.empty());
  const bool unstored = binds || subresource == "eviction" || subresource == "token";
  if (!unstored && !subresource.empty()) {
    return ErrorResponse(MethodNotAllowedError(), request.accept);
  }
  if (!unstored && request.at.resource->HasVerb("get")) return bodies_.Create(std::move(request));
  const auto query = DecodeWriteQuery(request.info.query, "CreateOptions");
  if (!query) return ErrorResponse(query.error(), request.accept);
  if (subresource == "eviction") {
    const bool pretty = request.format.pretty;
    return evictions_.Evict(std::move(request), query->dry_run, [pretty] { return Done(pretty); });
  }
  return WithBody(
      std::move(request), unstored ? Sent : SentObject,
      [this, binds, unstored, dry_run = query->dry_run](ResourceRequest sent, json::Value body) {
        UnstoredCreate create{
            .request = std::move(sent), .dry_run = dry_run, .object = std::move(body)};
        return binds      ? Bind(std::move(create))
               : unstored ? RequestToken(std::move(create))
                          : Review(std::move(create));
      });
}

ResponsePtr Mutations::DeleteCollection(ResourceRequest request) {
  const Query& query = request.info.query;
  const auto selection = Selection::Make(request.at, request.info.namespace_,
                                         query.Get("labelSelector"), query.Get("fieldSelector"));
  if (!selection) return ErrorResponse(selection.error(), request.accept);
  const auto limit = query.GetInt("limit");
  struct Job {
    CollectionDeletionPlan plan{};
    Result<DecodedDelete> options = DecodedDelete();
  };
  const auto job = std::make_shared<Job>();
  job->plan = {.request = std::move(request),
               .selection = *selection,
               .limit = limit ? limit->value_or(0) : 0};
  const ResourceRequest& sent = job->plan.request;
  return off_loop_.Run(
      DecodingCost(sent.content_type, sent.body),
      [job] {
        const ResourceRequest& from = job->plan.request;
        job->options = DecodeDelete(from.info.query, from.content_type, from.body);
      },
      [this, job, limit] {
        const std::string& accept = job->plan.request.accept;
        if (!job->options) return ErrorResponse(job->options.error(), accept);
        if (!limit) return ErrorResponse(limit.error(), accept);
        job->plan.dry_run = job->options->dry_run;
        job->plan.each = job->options->request;
        CollectionDeletionPlan& plan = job->plan;
        plan.listed = plan.request.at;
        plan.resource_version = state_.resource_version;
        if (!IsConverted(plan.listed)) return DeleteListed(std::move(plan));
        return caches_.WhenCurrent(plan.listed, [this, job](const Result<ReadFrom>& from) {
          if (!from) return ErrorResponse(from.error(), job->plan.request.accept);
          job->plan.listed = from->at;
          job->plan.resource_version = from->resource_version;
          return DeleteListed(std::move(job->plan));
        });
      });
}

ResponsePtr Mutations::DeleteListed(CollectionDeletionPlan plan) {
  return DeleteCollectionInTurns(state_, writer_, off_loop_, admission_, std::move(plan));
}

ResponsePtr Mutations::Scale(ResourceRequest request) {
  const auto fail = [&](const Error& error) { return ErrorResponse(error, request.accept); };
  const ServedResource& resource = *request.at.resource;
  const StoredObjectPtr stored = resource.Find(request.info.namespace_, request.info.name);
  if (stored == nullptr) return fail(NotFoundError(resource.Subject(request.info.name)));
  if (request.info.verb == Verb::kGet) {
    const ResourceAt at = request.at;
    return converter_.WhenConverted(
        at, stored,
        [this, request = std::make_shared<const ResourceRequest>(std::move(request))](
            const Result<StoredObjectPtr>& shown) {
          return shown ? ShowScale(*request, *shown)
                       : ErrorResponse(shown.error(), request->accept);
        });
  }
  const bool patches = request.info.verb == Verb::kPatch;
  const auto query =
      DecodeWriteQuery(request.info.query, patches ? "PatchOptions" : "UpdateOptions");
  if (!query) return fail(query.error());
  PatchFunction apply = nullptr;
  if (patches) {
    apply = PatchFunctionOf(request.content_type, /*custom=*/false);
    if (apply == nullptr) return fail(UnsupportedPatchError());
  }
  return WithBody(std::move(request), patches ? SentPatch : Sent,
                  [this, apply, dry_run = query->dry_run](ResourceRequest sent, json::Value body) {
                    return ChangeScale(std::move(sent), std::move(body), apply, dry_run);
                  });
}

ResponsePtr Mutations::ShowScale(const ResourceRequest& request, const StoredObjectPtr& stored) {
  auto answer = std::make_shared<ResponsePtr>();
  return off_loop_.Run(
      stored->body().size(),
      [answer, stored, form = FormOfScale(request, state_.env.WallNow())] {
        *answer = ScaleAnswer(form, stored->Parse(), /*for_change=*/false);
      },
      [answer] { return std::move(*answer); });
}

ResponsePtr Mutations::ChangeScale(ResourceRequest request, json::Value body, PatchFunction apply,
                                   bool dry_run) {
  ObjectChange change{.target = TargetOf(request, dry_run)};
  change.target.subresource.clear();
  const ScaleForm form = FormOfScale(request, state_.env.WallNow());
  change.part = PartOfScale(form.at, request.info, std::move(body), apply);
  change.answer = [form](const WriteOutcome& outcome) {
    return ScaleAnswer(form, outcome.stored->Parse(), /*for_change=*/true);
  };
  return bodies_.Change(std::move(request), std::move(change));
}

ResponsePtr Mutations::Bind(UnstoredCreate create) {
  create.check = [name = create.request.info.name](const json::Value& binding) {
    return CheckBinding(name, binding);
  };
  create.then = [this, dry_run = create.dry_run](ResourceRequest request, json::Value binding) {
    request.at = state_.resources.Find("", "v1", "pods");
    ObjectChange change{.target = TargetOf(request, dry_run)};
    const std::string name = std::as_const(binding).At("/metadata/name").StringOrEmpty();
    change.target.name = name;
    change.target.subresource = "binding";
    change.target.keep_status = true;
    change.apply = [binding = std::make_shared<const json::Value>(std::move(binding)), name,
                    now = FormatTime(state_.env.WallNow())](json::Value& pod) {
      return BindPod(*binding, name, now, pod);
    };
    change.answer = [pretty = request.format.pretty](const WriteOutcome&) { return Done(pretty); };
    return bodies_.Change(std::move(request), std::move(change));
  };
  return WhenCreationAdmitted(admission_, std::move(create));
}

ResponsePtr Mutations::RequestToken(UnstoredCreate create) {
  const WriteTarget target = TargetOf(create.request, create.dry_run);
  ServiceAccountTokens::Default(create.object);
  create.check = [this, target](json::Value& token) { return tokens_.Complete(target, token); };
  create.then = [this, target](const ResourceRequest& request, json::Value token) {
    const auto issued = tokens_.Issue(target, std::move(token));
    if (!issued) return ErrorResponse(issued.error(), request.accept);
    return UnstoredAnswer(request.at, request.format, 201, state_.env.WallNow(), *issued);
  };
  return WhenCreationAdmitted(admission_, std::move(create));
}

ResponsePtr Mutations::Review(UnstoredCreate create) {
  create.check = [](const json::Value&) -> Result<void> { return {}; };
  create.then = [this](ResourceRequest request, json::Value review) {
    return AnswerReview(std::move(request), std::move(review));
  };
  return WhenCreationAdmitted(admission_, std::move(create));
}

ResponsePtr Mutations::AnswerReview(ResourceRequest request, json::Value review) {
  const std::size_t cost = DecodingCost(request.content_type, request.body);
  Result<json::Value> answer =
      reviews_.Answer(request.at, request.info.namespace_, *request.user, std::move(review));
  if (!answer) return ErrorResponse(answer.error(), request.accept);
  struct Job {
    ResourceRequest request{};
    json::Value object{};
    ResponsePtr answer{};
  };
  const auto job =
      std::make_shared<Job>(Job{.request = std::move(request), .object = *std::move(answer)});
  return off_loop_.Run(
      cost,
      [this, job] {
        job->answer = WriteAnswer(
            state_, job->request,
            WriteOutcome{.stored = StoredObject::Make(job->object, 0, {}), .created = true});
      },
      [job] { return std::move(job->answer); });
}

}  // namespace kinformer::apiserver
