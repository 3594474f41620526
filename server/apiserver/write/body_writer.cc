#include "apiserver/write/body_writer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/errors/status.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/request/patch.h"
#include "apiserver/write/apply_patch.h"
#include "apiserver/write/body_job.h"
#include "apiserver/write/request_body.h"
#include "apiserver/write/reshape_in_turns.h"

namespace kinformer::apiserver {
namespace {

// Makes the response to a delete that removed its object.
ResponsePtr DeletedAnswer(const ResourceRequest& request, const WriteOutcome& outcome) {
  const ErrorSubject subject = request.at.resource->Subject(request.info.name);
  const std::string_view uid = outcome.stored->uid();
  return WholeResponse(200, ContentTypeOf(request.format, false),
                       request.format.media == MediaType::kProtobuf
                           ? Envelope("v1", "Status", DeletedStatusProtobuf(subject, uid))
                           : Render(request.format, DeletedStatusJson(subject, uid)));
}

}  // namespace

ResponsePtr WriteAnswer(const ServerState& state, const ResourceRequest& request,
                        const Result<WriteOutcome>& outcome,
                        const std::vector<std::string>& warnings) {
  if (!outcome) {
    return Warned(ErrorResponse(outcome.error(), request.accept), warnings);
  }
  const ObjectEncoder encoder(request.at, request.format, state.env.WallNow());
  HttpHeaders headers;
  headers.Add("Content-Type", ContentTypeOf(request.format, false));
  if (outcome->warnings.empty()) {
    AddWarnings(warnings, headers);
  } else {
    std::vector<std::string> all = warnings;
    all.insert(all.end(), outcome->warnings.begin(), outcome->warnings.end());
    AddWarnings(all, headers);
  }
  return WholeResponse(outcome->accepted  ? 202
                       : outcome->created ? 201
                                          : 200,
                       std::move(headers), encoder.Object(outcome->stored, outcome->document));
}

BodyWriter::JobPtr BodyWriter::NewJob(ResourceRequest request) {
  auto job = std::make_shared<Job>();
  // A fault may skew the clock for this request only.
  job->draft.now = state_.WallNow();
  job->live = request.at;
  request.at = Unchanging(std::move(request.at));
  job->bytes = DecodingCost(request.content_type, request.body);
  job->request = std::make_shared<const ResourceRequest>(std::move(request));
  job->draft.target = {.at = job->live,
                       .namespace_ = job->request->info.namespace_,
                       .name = job->request->info.name,
                       .subresource = job->request->info.subresource,
                       .checked = true,
                       .user = job->request->user};
  return job;
}

ResponsePtr BodyWriter::Step(const JobPtr& job, Work work, Then then) {
  job->draft.target.at.resource = job->request->at.resource;
  return off_loop_.Run(
      job->bytes,
      [this, job, work] {
        if (Result<void> done = (this->*work)(*job); !done) {
          job->failure = Warned(ErrorResponse(done.error(), job->request->accept), job->warnings);
        }
      },
      [this, job, then] {
        job->draft.target.at.resource = job->live.resource;
        return job->failure ? std::move(job->failure) : (this->*then)(job);
      });
}

ResponsePtr BodyWriter::Show(const JobPtr& job, const StoredObjectPtr& stored, Then then) {
  job->draft.shown = nullptr;
  if (!MustConvert(job->request->at, *stored)) return (this->*then)(job);
  return converter_.WhenConverted(
      job->request->at, stored, [this, job, then](Result<StoredObjectPtr> shown) {
        if (!shown) {
          return Warned(ErrorResponse(shown.error(), job->request->accept), job->warnings);
        }
        job->draft.shown = *std::move(shown);
        return (this->*then)(job);
      });
}

// ---- Creates and updates

ResponsePtr BodyWriter::WriteBody(ResourceRequest request, std::string_view options_kind,
                                  bool creates) {
  auto query = DecodeWriteQuery(request.info.query, options_kind);
  if (!query) return ErrorResponse(query.error(), request.accept);
  const JobPtr job = NewJob(std::move(request));
  job->draft.creates = creates;
  job->draft.target.dry_run = query->dry_run;
  job->query = *std::move(query);
  return Step(job, &BodyWriter::Decode, &BodyWriter::Write);
}

Result<void> BodyWriter::Decode(Job& job) {
  const ResourceRequest& request = *job.request;
  std::vector<std::string> duplicates;
  Result<json::Value> object =
      DecodeObject(request.at, request.content_type, request.body, &duplicates);
  if (!object) return object.error();
  auto warnings = ValidateFields(request, job.query.field_validation, *object, duplicates);
  if (!warnings) return request.at.version->NotHandled(warnings.error().message());
  job.warnings = *std::move(warnings);
  job.draft.object = *std::move(object);
  return {};
}

ResponsePtr BodyWriter::Write(const JobPtr& job) {
  return Step(job, &BodyWriter::Normalize, &BodyWriter::Mutate);
}

Result<void> BodyWriter::Normalize(Job& job) { return writer_.Normalize(job.draft); }

ResponsePtr BodyWriter::Begin(const JobPtr& job) {
  const WriteTarget& target = job->draft.target;
  if (job->base != nullptr &&
      target.at.resource->Find(target.namespace_, target.name) != job->base) {
    return Again(job);
  }
  const Result<bool> begun = writer_.Begin(job->draft);
  if (!begun.ok()) return Warned(ErrorResponse(begun.error(), job->request->accept), job->warnings);
  if (!*begun) return Write(job);
  const StoredObjectPtr& over = job->draft.over;
  if (over == nullptr) return Complete(job);
  job->bytes = std::max(job->bytes, over->body().size());
  return Show(job, over, &BodyWriter::Complete);
}

ResponsePtr BodyWriter::Complete(const JobPtr& job) {
  if (writer_.MustAssign(job->draft)) return Step(job, &BodyWriter::Load, &BodyWriter::Assign);
  return Step(job, &BodyWriter::CompleteDraft, &BodyWriter::Completed);
}

Result<void> BodyWriter::Load(Job& job) {
  ObjectWriter::Load(job.draft);
  return {};
}

ResponsePtr BodyWriter::Assign(const JobPtr& job) {
  if (!ObjectWriter::IsCurrent(job->draft)) return Again(job);
  if (Result<void> assigned = writer_.Assign(job->draft); !assigned) {
    return Warned(ErrorResponse(assigned.error(), job->request->accept), job->warnings);
  }
  return Step(job, &BodyWriter::CompleteDraft, &BodyWriter::Completed);
}

Result<void> BodyWriter::CompleteDraft(Job& job) { return writer_.Complete(job.draft); }

ResponsePtr BodyWriter::Completed(const JobPtr& job) {
  if (!ObjectWriter::IsCurrent(job->draft)) return Again(job);
  const bool asks = job->asks || job->part != nullptr;
  if (asks && !job->admitted && admission_.Any(AdmissionPhase::kValidate)) return Validate(job);
  return job->draft.converts ? ConvertToStore(job) : Commit(job);
}

ResponsePtr BodyWriter::ConvertToStore(const JobPtr& job) {
  const ResourceAt& at = job->request->at;
  return converter_.WhenDocumentConverted(
      {.resource = at.resource, .version = at.resource->StorageVersion()}, job->bytes,
      std::move(job->draft.object), [this, job](Result<json::Value> made) {
        if (!made) return Warned(ErrorResponse(made.error(), job->request->accept), job->warnings);
        job->draft.object = *std::move(made);
        return Step(job, &BodyWriter::CompleteConverted, &BodyWriter::Commit);
      });
}

Result<void> BodyWriter::CompleteConverted(Job& job) {
  return writer_.CompleteConverted(job.draft);
}

ResponsePtr BodyWriter::Commit(const JobPtr& job) {
  if (!ObjectWriter::IsCurrent(job->draft)) return Again(job);
  if (job->draft.reshaped == nullptr) {
    job->draft.reshaped = writer_.Reshape(job->draft);
    if (job->draft.reshaped != nullptr) {
      return ReshapeInTurns(state_, off_loop_, job->draft.reshaped,
                            [this, job] { return Commit(job); });
    }
  }
  job->outcome = writer_.Commit(job->draft);
  return Answer(job);
}

ResponsePtr BodyWriter::Answer(const JobPtr& job) {
  const ResourceRequest& request = *job->request;
  if (job->then != nullptr) {
    return job->outcome ? job->then(*job->outcome)
                        : ErrorResponse(job->outcome.error(), request.accept);
  }
  if (!job->outcome || !MustConvert(request.at, *job->outcome->stored)) return RenderOutcome(job);
  return converter_.WhenConverted(
      request.at, job->outcome->stored, [this, job](Result<StoredObjectPtr> shown) {
        if (shown) {
          job->outcome->stored = *std::move(shown);
          job->outcome->document = json::Value();  // in the stored version
        } else {
          job->outcome = shown.error();
        }
        return RenderOutcome(job);
      });
}

ResponsePtr BodyWriter::RenderOutcome(const JobPtr& job) {
  const ResourceRequest& request = *job->request;
  // Forms other than the stored text are encoded off the loop, from a copy of the shared object.
  const bool text = job->show == nullptr && IsStoredText(request.at, request.format);
  if (!job->outcome || text || !OffLoop::IsMuch(job->bytes)) {
    (void)Render(*job).ok();
    return Answered(job);
  }
  job->outcome->stored = job->outcome->stored->Copy();
  return Step(job, &BodyWriter::Render, &BodyWriter::Answered);
}

Result<void> BodyWriter::Render(Job& job) {
  job.answer = job.outcome && job.show != nullptr
                   ? Warned(job.show(*job.outcome), job.warnings)
                   : WriteAnswer(state_, *job.request, job.outcome, job.warnings);
  return {};
}

ResponsePtr BodyWriter::Answered(const JobPtr& job) { return std::move(job->answer); }

ResponsePtr BodyWriter::Again(const JobPtr& job) {
  constexpr int kAttempts = 5;
  const ResourceRequest& request = *job->request;
  if (++job->attempts == kAttempts) {
    return ErrorResponse(ModifiedConflictError(request.at.resource->Subject(request.info.name)),
                         request.accept);
  }
  job->mutated = false;
  job->admitted = false;
  if (job->deletes) {
    job->deletion = {.request = job->deletion.request};
    return BeginDelete(job);
  }
  job->draft = {.target = job->draft.target, .now = job->draft.now};
  job->warnings.clear();
  if (job->changes) return FindToChange(job);
  if (job->apply != nullptr) return Step(job, &BodyWriter::DecodePatch, &BodyWriter::Apply);
  return Step(job, &BodyWriter::Decode, &BodyWriter::Write);
}

// ---- Changes

ResponsePtr BodyWriter::Change(ResourceRequest request, ObjectChange change) {
  request.body.clear();
  const JobPtr job = NewJob(std::move(request));
  job->draft.target = std::move(change.target);
  job->draft.target.at = job->live;
  job->changes = true;
  job->change = std::move(change.apply);
  job->part = std::move(change.part);
  job->asks = change.asks;
  job->show = std::move(change.answer);
  job->then = std::move(change.then);
  return FindToChange(job);
}

ResponsePtr BodyWriter::FindToChange(const JobPtr& job) {
  const WriteTarget& target = job->draft.target;
  job->base = target.at.resource->Find(target.namespace_, target.name);
  if (job->base == nullptr) {
    return ErrorResponse(NotFoundError(target.at.resource->Subject(target.name)),
                         job->request->accept);
  }
  job->bytes = job->base->body().size();
  return Show(job, job->base, &BodyWriter::ChangeShown);
}

ResponsePtr BodyWriter::ChangeShown(const JobPtr& job) {
  if (job->part == nullptr) return Step(job, &BodyWriter::ApplyChange, &BodyWriter::Write);
  if (!admission_.Any(AdmissionPhase::kMutate)) {
    return Step(job, &BodyWriter::ApplyPart, &BodyWriter::Write);
  }
  return Step(job, &BodyWriter::MakePart, &BodyWriter::AskAboutPart);
}

Result<void> BodyWriter::ApplyChange(Job& job) {
  job.draft.object = ObjectIn(job.request->at, job.Base());
  return job.change(job.draft.object);
}

// ---- Deletes

ResponsePtr BodyWriter::Delete(ResourceRequest request) {
  const JobPtr job = NewJob(std::move(request));
  job->deletes = true;
  return Step(job, &BodyWriter::DecodeDelete, &BodyWriter::BeginDelete);
}

ResponsePtr BodyWriter::Delete(ResourceRequest request, ObjectDeletion deletion) {
  request.body.clear();
  const JobPtr job = NewJob(std::move(request));
  job->draft.target = std::move(deletion.target);
  job->draft.target.at = job->live;
  job->deletes = true;
  job->deletion.request = std::move(deletion.request);
  job->then = std::move(deletion.then);
  return BeginDelete(job);
}

Result<void> BodyWriter::DecodeDelete(Job& job) {
  const ResourceRequest& request = *job.request;
  auto options = apiserver::DecodeDelete(request.info.query, request.content_type, request.body);
  if (!options) return options.error();
  job.draft.target.dry_run = options->dry_run;
  job.deletion.request = std::move(options->request);
  job.cascades = options->cascades;
  // For namespaces, `orphanDependents: false` has always meant foreground deletion.
  if (job.cascades && request.at.resource->Is("", "namespaces")) {
    job.deletion.request.propagation = "Foreground";
  }
  return {};
}

ResponsePtr BodyWriter::BeginDelete(const JobPtr& job) {
  if (Result<void> begun = writer_.BeginDelete(job->draft.target, job->deletion); !begun) {
    return ErrorResponse(begun.error(), job->request->accept);
  }
  job->bytes = std::max(job->bytes, job->deletion.over->body().size());
  return Show(job, job->deletion.over, &BodyWriter::DeleteShown);
}

ResponsePtr BodyWriter::DeleteShown(const JobPtr& job) {
  if (job->then == nullptr &&
      (admission_.Any(AdmissionPhase::kMutate) || admission_.Any(AdmissionPhase::kValidate))) {
    return Step(job, &BodyWriter::LoadDeleted, &BodyWriter::AdmitDelete);
  }
  return Step(job, &BodyWriter::CompleteDelete, &BodyWriter::CommitDelete);
}

Result<void> BodyWriter::CompleteDelete(Job& job) {
  writer_.CompleteDelete(job.draft.target, job.deletion);
  return {};
}

ResponsePtr BodyWriter::CommitDelete(const JobPtr& job) {
  if (!ObjectWriter::IsCurrent(job->draft.target, job->deletion)) return Again(job);
  WriteOutcome outcome = writer_.CommitDelete(job->draft.target, job->deletion);
  outcome.accepted = !outcome.removed && job->cascades;
  const ResourceRequest& request = *job->request;
  const bool shown = job->then != nullptr || request.at.resource->delete_returns_object;
  if (outcome.removed && !shown) {
    return Warned(DeletedAnswer(request, outcome), job->warnings);
  }
  job->outcome = std::move(outcome);
  return Answer(job);
}

// ---- Patches

ResponsePtr BodyWriter::Patch(ResourceRequest request) {
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
  auto options = DecodeWriteQuery(query, "PatchOptions", std::move(causes));
  if (!options) return fail(options.error());

  const JobPtr job = NewJob(std::move(request));
  job->draft.target.dry_run = options->dry_run;
  job->query = *std::move(options);
  job->apply = apply;
  job->server_side = server_side;
  return Step(job, &BodyWriter::DecodePatch, &BodyWriter::Apply);
}

Result<void> BodyWriter::DecodePatch(Job& job) {
  const ResourceRequest& request = *job.request;
  if (job.server_side) {
    Result<apiserver::ApplyPatch> applied =
        DecodeApplyPatch(request.at, request.body, job.query.field_validation);
    if (!applied) return applied.error();
    job.patch = std::move(applied->object);
    job.warnings = std::move(applied->warnings);
    return {};
  }
  Result<json::Value> patch = json::Parse(request.body);
  if (!patch) return BadRequestError("error decoding patch: " + patch.error().message());
  job.patch = *std::move(patch);
  return {};
}

ResponsePtr BodyWriter::Apply(const JobPtr& job) {
  const WriteTarget& target = job->draft.target;
  const ServedResource& resource = *target.at.resource;
  const auto fail = [&](const Error& error) {
    return Warned(ErrorResponse(error, job->request->accept), job->warnings);
  };
  job->base = resource.Find(target.namespace_, target.name);
  if (job->base == nullptr) {
    if (!job->server_side || !target.subresource.empty()) {
      return fail(NotFoundError(resource.Subject(target.name)));
    }
    if (auto fit = CheckAppliedCreate(target.at, job->patch, target.namespace_, target.name);
        !fit) {
      return ErrorResponse(fit.error(), job->request->accept);
    }
    // A resourceVersion implies that the object exists; nevertheless the real server treats it as a
    // new object.
    job->patch.Ensure("metadata").Erase("resourceVersion");
    job->draft.object = std::move(job->patch);
    job->draft.creates = true;
    return Write(job);
  }
  job->bytes = std::max(job->bytes, job->base->body().size());
  return Show(job, job->base, &BodyWriter::ApplyShown);
}

ResponsePtr BodyWriter::ApplyShown(const JobPtr& job) {
  return Step(job, &BodyWriter::ApplyPatch, &BodyWriter::Write);
}

Result<void> BodyWriter::ApplyPatch(Job& job) {
  json::Value object = ObjectIn(job.request->at, job.Base());
  const std::string uid = std::as_const(object).At("/metadata/uid").StringOrEmpty();
  // Without a resourceVersion, the patch applies to the object in any version.
  const ResourceAt& at = job.request->at;
  if (job.server_side && at.resource->custom) {
    if (auto merged = MergeApplied(at, job.patch, object); !merged) return merged;
  } else if (Result<void> applied = job.apply(job.patch, at.version->message, object); !applied) {
    return applied;
  }
  // Fields that an apply may not declare were rejected before; pruned fields cause no warning.
  const std::string mode = job.server_side ? "Ignore" : job.query.field_validation;
  auto checked = CheckPatched(*job.request, mode, uid, object);
  if (!checked) return checked.error();
  job.warnings.insert(job.warnings.end(), checked->begin(), checked->end());
  job.draft.object = std::move(object);
  return {};
}

}  // namespace kinformer::apiserver
