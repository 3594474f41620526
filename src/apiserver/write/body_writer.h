// apiserver/write/body_writer.h
//
// BodyWriter: creates, updates, patches and deletes: from a request to ObjectWriter, and back to an
// answer.

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

// The answer to a write.
ResponsePtr WriteAnswer(const ServerState& state, const ResourceRequest& request,
                        const Result<WriteOutcome>& outcome,
                        const std::vector<std::string>& warnings = {});

// What is written of an object, and what webhooks are asked about, in the place of the object: its
// Scale. All on any thread.
struct ChangedPart {
  // That of an object, and what the request makes of it.
  std::function<Result<json::Value>(const json::Value& object)> of{};
  std::function<Result<json::Value>(const json::Value& object)> make{};
  // Checks it, and writes it into the object.
  std::function<Result<void>(const json::Value& part, json::Value& object)> put{};
};

// What a request does to an object by other means than a body that is one.
struct ObjectChange {
  WriteTarget target{};  // `at` is the request's
  // One of the two. `apply` is called on any thread.
  ObjectWriter::Change apply{};
  std::shared_ptr<const ChangedPart> part{};
  // Webhooks are asked about the object.
  bool asks = false;
  // On any thread, with an object that nobody else has.
  std::function<ResponsePtr(const WriteOutcome&)> answer{};
  // On the loop, in place of `answer`: what it comes to may come later.
  std::function<ResponsePtr(const WriteOutcome&)> then{};
};

// A delete that no body asks for.
struct ObjectDeletion {
  WriteTarget target{};  // `at` is the request's
  DeleteRequest request{};
  // As of ObjectChange.
  std::function<ResponsePtr(const WriteOutcome&)> then{};
};

// Whatever is in a body, the loop sees little of it: what costs by its size, or by that of the
// object which it changes, is done off the loop where it is much. What has been written in between
// by others is noticed, and the request begins anew. Loop-confined. Errors come back as responses.
class BodyWriter {
 public:
  // All must outlive it; `off_loop` must end before it.
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
  // Does `work`, off the loop if it is much, and then the next; or answers with what went wrong.
  ResponsePtr Step(const JobPtr& job, Work work, Then then);

  // ---- What is done on the loop.
  // Goes on once the object that is there can be seen in the request's version (Draft::shown).
  ResponsePtr Show(const JobPtr& job, const StoredObjectPtr& stored, Then then);
  ResponsePtr Apply(const JobPtr& job);
  ResponsePtr ApplyShown(const JobPtr& job);
  ResponsePtr Write(const JobPtr& job);
  // Webhooks are asked what the object should be.
  ResponsePtr Mutate(const JobPtr& job);
  ResponsePtr LoadToMutate(const JobPtr& job);
  ResponsePtr AskToMutate(const JobPtr& job);
  ResponsePtr Begin(const JobPtr& job);
  ResponsePtr Complete(const JobPtr& job);
  ResponsePtr Assign(const JobPtr& job);
  ResponsePtr Completed(const JobPtr& job);
  ResponsePtr ConvertToStore(const JobPtr& job);
  ResponsePtr Commit(const JobPtr& job);
  // Webhooks are asked whether it may be written, and then it is.
  ResponsePtr Validate(const JobPtr& job);
  ResponsePtr FindToChange(const JobPtr& job);
  ResponsePtr ChangeShown(const JobPtr& job);
  // The same about the part that is changed.
  ResponsePtr AskAboutPart(const JobPtr& job);
  ResponsePtr ValidatePart(const JobPtr& job);
  ResponsePtr BeginDelete(const JobPtr& job);
  ResponsePtr DeleteShown(const JobPtr& job);
  // Webhooks are asked whether it may go.
  ResponsePtr AdmitDelete(const JobPtr& job);
  ResponsePtr CommitDelete(const JobPtr& job);
  // Others have changed the object.
  ResponsePtr Again(const JobPtr& job);
  ResponsePtr Answer(const JobPtr& job);
  ResponsePtr RenderOutcome(const JobPtr& job);
  ResponsePtr Answered(const JobPtr& job);

  // ---- On any thread.
  Result<void> Decode(Job& job);
  Result<void> DecodePatch(Job& job);
  Result<void> ApplyPatch(Job& job);
  Result<void> ApplyChange(Job& job);
  Result<void> MakePart(Job& job);
  Result<void> PutPart(Job& job);
  Result<void> ApplyPart(Job& job);
  Result<void> Normalize(Job& job);
  // The same of what webhooks have made of an object.
  Result<void> NormalizeMutated(Job& job);
  Result<void> Load(Job& job);
  Result<void> CompleteDraft(Job& job);
  Result<void> CompleteConverted(Job& job);
  Result<void> DecodeDelete(Job& job);
  Result<void> LoadDeleted(Job& job);
  Result<void> CompleteDelete(Job& job);
  Result<void> Render(Job& job);
  // Checks the object's types, takes out what the schema does not know, and gives the problems with
  // fields that fieldValidation is about: as warnings, or as an error where it is Strict. Errors
  // say what is wrong, not of what.
  Result<std::vector<std::string>> ValidateFields(const ResourceRequest& request,
                                                  std::string_view mode, json::Value& object,
                                                  const std::vector<std::string>& duplicates) const;
  // The same of what a patch has made; `uid` is the object's. Errors are about the patch.
  Result<std::vector<std::string>> CheckPatched(const ResourceRequest& request,
                                                std::string_view mode, const std::string& uid,
                                                json::Value& object) const;

  // What webhooks are asked, but for the objects.
  static std::shared_ptr<AdmissionAttributes> AttributesFor(const Job& job);
  // Notes what webhooks warn of. Null: they allow it; else the answer.
  static ResponsePtr Refused(Job& job, AdmissionOutcome& outcome);

  ServerState& state_;
  ObjectWriter& writer_;
  OffLoop& off_loop_;
  AdmissionWebhooks& admission_;
  ObjectConverter& converter_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BODY_WRITER_H_
