// Admission in BodyWriter: webhooks review the object before and after it is completed, a part of
// it (its Scale) instead, and deletes.

#include <algorithm>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/write/admitted.h"
#include "apiserver/write/body_job.h"
#include "apiserver/write/body_writer.h"

namespace kinformer::apiserver {

ResponsePtr BodyWriter::Refused(Job& job, AdmissionOutcome& outcome) {
  for (std::string& warning : outcome.warnings) job.warnings.push_back(std::move(warning));
  if (outcome.allowed) return nullptr;
  return Warned(ErrorResponse(outcome.allowed.error(), job.request->accept), job.warnings);
}

std::shared_ptr<AdmissionAttributes> BodyWriter::AttributesFor(const Job& job) {
  const Draft& draft = job.draft;
  auto attributes = AttributesOf(*job.request, draft.target, draft.creates ? "CREATE" : "UPDATE");
  attributes->bytes = job.bytes;
  return attributes;
}

// ---- Objects

ResponsePtr BodyWriter::Mutate(const JobPtr& job) {
  Draft& draft = job->draft;
  if (job->mutated || !job->asks || !admission_.Any(AdmissionPhase::kMutate)) return Begin(job);
  if (!draft.creates) {
    draft.over = draft.target.at.resource->Find(draft.target.namespace_, draft.target.name);
    // It becomes a create, and returns here, or fails.
    if (draft.over == nullptr) return Begin(job);
    job->bytes = std::max(job->bytes, draft.over->body().size());
  }
  job->mutated = true;
  return draft.creates ? AskToMutate(job) : Show(job, draft.over, &BodyWriter::LoadToMutate);
}

ResponsePtr BodyWriter::LoadToMutate(const JobPtr& job) {
  return Step(job, &BodyWriter::Load, &BodyWriter::AskToMutate);
}

ResponsePtr BodyWriter::AskToMutate(const JobPtr& job) {
  const auto attributes = AttributesFor(*job);
  attributes->object = std::move(job->draft.object);
  attributes->old = std::exchange(job->draft.old, json::Value());
  return WhenAdmitted(admission_, AdmissionPhase::kMutate, attributes,
                      [this, job, attributes](AdmissionOutcome outcome) {
                        if (ResponsePtr refused = Refused(*job, outcome)) return refused;
                        job->draft.object = std::move(attributes->object);
                        if (!outcome.changed) return Begin(job);
                        return Step(job, &BodyWriter::NormalizeMutated, &BodyWriter::Begin);
                      });
}

Result<void> BodyWriter::NormalizeMutated(Job& job) {
  // Patches of webhooks have not been checked for types, and the resourceVersion that the client
  // sent was already extracted.
  job.draft.target.checked = false;
  std::string sent_version = std::move(job.draft.sent_version);
  Result<void> done = writer_.Normalize(job.draft);
  job.draft.sent_version = std::move(sent_version);
  return done;
}

ResponsePtr BodyWriter::Validate(const JobPtr& job) {
  job->admitted = true;
  if (job->part != nullptr) return ValidatePart(job);
  const auto attributes = AttributesFor(*job);
  attributes->object = std::move(job->draft.object);
  attributes->old = std::move(job->draft.old);
  return WhenAdmitted(admission_, AdmissionPhase::kValidate, attributes,
                      [this, job, attributes](AdmissionOutcome outcome) {
                        if (ResponsePtr refused = Refused(*job, outcome)) return refused;
                        job->draft.object = std::move(attributes->object);
                        job->draft.old = std::move(attributes->old);
                        return Completed(job);
                      });
}

// ---- Parts of objects

Result<void> BodyWriter::ApplyPart(Job& job) {
  if (Result<void> made = MakePart(job); !made) return made;
  return PutPart(job);
}

Result<void> BodyWriter::MakePart(Job& job) {
  job.draft.object = ObjectIn(job.request->at, job.Base());
  Result<json::Value> old = job.part->of(job.draft.object);
  if (!old) return std::move(old).error();
  Result<json::Value> made = job.part->make(job.draft.object);
  if (!made) return std::move(made).error();
  job.part_old = *std::move(old);
  job.part_made = *std::move(made);
  return {};
}

Result<void> BodyWriter::PutPart(Job& job) {
  return job.part->put(job.part_made, job.draft.object);
}

ResponsePtr BodyWriter::AskAboutPart(const JobPtr& job) {
  const auto attributes = AttributesFor(*job);
  attributes->object = std::move(job->part_made);
  attributes->old = std::move(job->part_old);
  return WhenAdmitted(admission_, AdmissionPhase::kMutate, attributes,
                      [this, job, attributes](AdmissionOutcome outcome) {
                        if (ResponsePtr refused = Refused(*job, outcome)) return refused;
                        job->part_made = std::move(attributes->object);
                        return Step(job, &BodyWriter::PutPart, &BodyWriter::Write);
                      });
}

ResponsePtr BodyWriter::ValidatePart(const JobPtr& job) {
  Result<json::Value> object = job->part->of(job->draft.object);
  Result<json::Value> old = job->part->of(job->draft.old);
  if (!object || !old) {
    return ErrorResponse(object ? old.error() : object.error(), job->request->accept);
  }
  const auto attributes = AttributesFor(*job);
  attributes->object = *std::move(object);
  attributes->old = *std::move(old);
  return WhenAdmitted(admission_, AdmissionPhase::kValidate, attributes,
                      [this, job](AdmissionOutcome outcome) {
                        if (ResponsePtr refused = Refused(*job, outcome)) return refused;
                        return Completed(job);
                      });
}

// ---- Deletes

Result<void> BodyWriter::LoadDeleted(Job& job) {
  const StoredObjectPtr& shown = job.draft.shown;
  job.draft.old = (shown == nullptr ? job.deletion.over : shown)->Parse();
  return {};
}

ResponsePtr BodyWriter::AdmitDelete(const JobPtr& job) {
  const auto attributes =
      AttributesOfDelete(*job->request, job->draft.target, job->deletion.request);
  attributes->bytes = job->bytes;
  attributes->old = std::move(job->draft.old);
  const auto validated = [this, job](AdmissionOutcome outcome) {
    if (ResponsePtr refused = Refused(*job, outcome)) return refused;
    return Step(job, &BodyWriter::CompleteDelete, &BodyWriter::CommitDelete);
  };
  return WhenAdmitted(admission_, AdmissionPhase::kMutate, attributes,
                      [this, job, attributes, validated](AdmissionOutcome outcome) {
                        if (ResponsePtr refused = Refused(*job, outcome)) return refused;
                        return WhenAdmitted(admission_, AdmissionPhase::kValidate, attributes,
                                            validated);
                      });
}

}  // namespace kinformer::apiserver
