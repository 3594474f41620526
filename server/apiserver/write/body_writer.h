// apiserver/write/body_writer.h
//
// BodyWriter: handles creates, updates, patches and deletes: decodes requests, passes them to
// ObjectWriter, and encodes the responses.

#ifndef KINFORMER_APISERVER_WRITE_BODY_WRITER_H_
#define KINFORMER_APISERVER_WRITE_BODY_WRITER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/admission_webhooks.h"
#include "apiserver/conversion/object_converter.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object_writer.h"

namespace kinformer::apiserver {

// Makes the response to a write.
ResponsePtr WriteAnswer(const ServerState& state, const ResourceRequest& request,
                        const Result<WriteOutcome>& outcome,
                        const std::vector<std::string>& warnings = {});

// Part of an object that a request writes and webhooks review instead of the object: its Scale. All
// functions are thread-safe.
struct ChangedPart {
  // Returns the part of an object, and the part as changed by the request.
  std::function<Result<json::Value>(const json::Value& object)> of{};
  std::function<Result<json::Value>(const json::Value& object)> make{};
  // Validates the part, and writes it into the object.
  std::function<Result<void>(const json::Value& part, json::Value& object)> put{};
};

// Change of an object by a request whose body is not the object.
struct ObjectChange {
  WriteTarget target{};  // `at` is that of the request
  // Exactly one of the two is set. `apply` runs on any thread.
  ObjectWriter::Change apply{};
  std::shared_ptr<const ChangedPart> part{};
  // Webhooks review the object.
  bool asks = false;
  // Makes the response, on any thread, from an object that no other thread uses.
  std::function<ResponsePtr(const WriteOutcome&)> answer{};
  // Makes the response on the loop, instead of `answer`, and may complete later.
  std::function<ResponsePtr(const WriteOutcome&)> then{};
};

// Delete that is not requested by a body.
struct ObjectDeletion {
  WriteTarget target{};  // `at` is that of the request
  DeleteRequest request{};
  // As in ObjectChange.
  std::function<ResponsePtr(const WriteOutcome&)> then{};
};

// Keeps expensive work off the loop: work that grows with the size of the body or of the changed
// object runs elsewhere if it is much. Concurrent writes are detected, and the request starts over.
// Loop-confined. Errors are returned as responses.
class BodyWriter {
 public:
  // All must outlive it, except `off_loop`, which must be destroyed before it.
  BodyWriter(ServerState& state, ObjectWriter& writer, OffLoop& off_loop,
             AdmissionWebhooks& admission, ObjectConverter& converter)
      : state_(state),
        writer_(writer),
        off_loop_(off_loop),
        admission_(admission),
        converter_(converter) {}

  ResponsePtr Create(ResourceRequest request) {
    return WriteBody(std::move(request), "CreateOptions", /*creates=*/true);
  }
  ResponsePtr Update(ResourceRequest request) {
    return WriteBody(std::move(request), "UpdateOptions", /*creates=*/false);
  }
  ResponsePtr Patch(ResourceRequest request);
  ResponsePtr Change(ResourceRequest request, ObjectChange change);
  ResponsePtr Delete(ResourceRequest request);
  ResponsePtr Delete(ResourceRequest request, ObjectDeletion deletion);

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;
  using Work = Result<void> (BodyWriter::*)(Job& job);
  using Then = ResponsePtr (BodyWriter::*)(const JobPtr& job);

  ResponsePtr WriteBody(ResourceRequest request, std::string_view options_kind, bool creates);
  JobPtr NewJob(ResourceRequest request);
  // Runs `work`, off the loop if it is much, then `then` on the loop; or responds with the error.
  ResponsePtr Step(const JobPtr& job, Work work, Then then);

  // ---- Steps on the loop.
  // Calls `then` once the stored object is available in the request's version (Draft::shown).
  ResponsePtr Show(const JobPtr& job, const StoredObjectPtr& stored, Then then);
  ResponsePtr Apply(const JobPtr& job);
  ResponsePtr ApplyShown(const JobPtr& job);
  ResponsePtr Write(const JobPtr& job);
  // Calls mutating webhooks with the object.
  ResponsePtr Mutate(const JobPtr& job);
  ResponsePtr LoadToMutate(const JobPtr& job);
  ResponsePtr AskToMutate(const JobPtr& job);
  ResponsePtr Begin(const JobPtr& job);
  ResponsePtr Complete(const JobPtr& job);
  ResponsePtr Assign(const JobPtr& job);
  ResponsePtr Completed(const JobPtr& job);
  ResponsePtr ConvertToStore(const JobPtr& job);
  ResponsePtr Commit(const JobPtr& job);
  // Calls validating webhooks, and then writes.
  ResponsePtr Validate(const JobPtr& job);
  ResponsePtr FindToChange(const JobPtr& job);
  ResponsePtr ChangeShown(const JobPtr& job);
  // Calls webhooks with the part that is changed.
  ResponsePtr AskAboutPart(const JobPtr& job);
  ResponsePtr ValidatePart(const JobPtr& job);
  ResponsePtr BeginDelete(const JobPtr& job);
  ResponsePtr DeleteShown(const JobPtr& job);
  // Calls webhooks about the delete.
  ResponsePtr AdmitDelete(const JobPtr& job);
  ResponsePtr CommitDelete(const JobPtr& job);
  // Starts over after a concurrent write.
  ResponsePtr Again(const JobPtr& job);
  ResponsePtr Answer(const JobPtr& job);
  ResponsePtr RenderOutcome(const JobPtr& job);
  ResponsePtr Answered(const JobPtr& job);

  // ---- Steps on any thread.
  Result<void> Decode(Job& job);
  Result<void> DecodePatch(Job& job);
  Result<void> ApplyPatch(Job& job);
  Result<void> ApplyChange(Job& job);
  Result<void> MakePart(Job& job);
  Result<void> PutPart(Job& job);
  Result<void> ApplyPart(Job& job);
  Result<void> Normalize(Job& job);
  // Normalizes the object that webhooks have changed.
  Result<void> NormalizeMutated(Job& job);
  Result<void> Load(Job& job);
  Result<void> CompleteDraft(Job& job);
  Result<void> CompleteConverted(Job& job);
  Result<void> DecodeDelete(Job& job);
  Result<void> LoadDeleted(Job& job);
  Result<void> CompleteDelete(Job& job);
  Result<void> Render(Job& job);
  // Checks the object's types, prunes unknown fields, and returns the problems that fieldValidation
  // covers: as warnings, or as an error if it is Strict. Errors describe the problem, but do not
  // name the object.
  Result<std::vector<std::string>> ValidateFields(const ResourceRequest& request,
                                                  std::string_view mode, json::Value& object,
                                                  const std::vector<std::string>& duplicates) const;
  // The same for the result of a patch; `uid` is the object's. Errors are about the patch.
  Result<std::vector<std::string>> CheckPatched(const ResourceRequest& request,
                                                std::string_view mode, const std::string& uid,
                                                json::Value& object) const;

  // Returns the attributes for webhooks, without the objects.
  static std::shared_ptr<AdmissionAttributes> AttributesFor(const Job& job);
  // Adds the webhooks' warnings to the job. Returns null if they allow it, else the response.
  static ResponsePtr Refused(Job& job, AdmissionOutcome& outcome);

  ServerState& state_;
  ObjectWriter& writer_;
  OffLoop& off_loop_;
  AdmissionWebhooks& admission_;
  ObjectConverter& converter_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BODY_WRITER_H_
