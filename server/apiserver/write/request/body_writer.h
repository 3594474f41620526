// apiserver/write/request/body_writer.h
//
// BodyWriter: handles creates, updates, patches and deletes: decodes requests, passes them to
// ObjectWriter, and encodes the responses.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_BODY_WRITER_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_BODY_WRITER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "apiserver/admission/admission.h"
#include "apiserver/conversion/object_converter.h"
#include "apiserver/plugins/admission_plugins.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/request/request_body.h"
#include "apiserver/write/request/sent_patch.h"
#include "apiserver/write/request/sent_write.h"

namespace kinformer::apiserver {

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
  // Makes the response, on any thread, from an object that no other thread uses; null: the response
  // shows the object.
  std::function<ResponsePtr(const WriteOutcome&)> answer{};
};

// Keeps expensive work off the loop: work that grows with the size of the body or of the changed
// object runs elsewhere if it is much. Concurrent writes are detected, and the request starts over.
// Loop-confined. Errors are returned as responses.
class BodyWriter {
 public:
  // All must outlive it, except `off_loop`, which must be destroyed before it.
  BodyWriter(ServerState& state, ObjectWriter& writer, OffLoop& off_loop, Admission& admission,
             ObjectConverter& converter)
      : state_(state),
        writer_(writer),
        off_loop_(off_loop),
        admission_(admission),
        converter_(converter),
        plugins_(state) {}

  Task<ResponsePtr> Create(ResourceRequest request) {
    return WriteBody(std::move(request), "CreateOptions", /*creates=*/true);
  }
  Task<ResponsePtr> Update(ResourceRequest request) {
    return WriteBody(std::move(request), "UpdateOptions", /*creates=*/false);
  }
  Task<ResponsePtr> Patch(ResourceRequest request);
  Task<ResponsePtr> Change(ResourceRequest request, ObjectChange change);
  Task<ResponsePtr> Delete(ResourceRequest request);

  // ---- Writes of this process, as if `request` had sent them. Fail with Conflict if another write
  // comes in between.
  // Returns whether anybody is to be asked about them. Cheap check before the costlier calls.
  [[nodiscard]] bool ReviewsWrites() const {
    return plugins_.Any() || plugins_.HasQuota() || plugins_.HasNodeRestriction() ||
           admission_.Any(AdmissionPhase::kMutate) || admission_.Any(AdmissionPhase::kValidate);
  }
  // The object may have a status. An update is of a subresource if the request is.
  Task<Result<void>> CreateReviewed(ResourceRequest request, json::Value object) {
    return WriteReviewed(std::move(request), std::move(object), /*creates=*/true);
  }
  Task<Result<void>> UpdateReviewed(ResourceRequest request, json::Value object) {
    return WriteReviewed(std::move(request), std::move(object), /*creates=*/false);
  }
  Task<Result<void>> ChangeReviewed(ResourceRequest request, ObjectChange change);
  Task<Result<void>> DeleteReviewed(ResourceRequest request, DeleteRequest options);

  // A change and a delete as steps of another request, which makes the response itself: return null
  // if they succeed, else the response with the error. Webhooks do not review the delete.
  Task<ResponsePtr> ChangeFirst(ResourceRequest request, ObjectChange change);
  Task<ResponsePtr> DeleteFirst(ResourceRequest request, WriteTarget target, DeleteRequest options);

  [[nodiscard]] const AdmissionPlugins& plugins() const { return plugins_; }

 private:
  using Sent = SentWrite;
  // Result of one attempt; empty if another write changed the object meanwhile.
  using Attempt = std::optional<Result<WriteOutcome>>;

  Task<Result<void>> WriteReviewed(ResourceRequest request, json::Value object, bool creates);
  Task<ResponsePtr> WriteBody(ResourceRequest request, std::string_view options_kind, bool creates);
  static Result<void> OutcomeOf(const Sent& sent, const Attempt& attempt);
  // Repeats `attempt`, a few times, while others change the object.
  template <class Try>
  Task<Result<WriteOutcome>> Repeat(Sent& sent, Try attempt);
  // Runs `work`, off the loop if it is much; meanwhile `target` has the constant copy of its
  // resource.
  template <class Work>
  Task<std::invoke_result_t<Work&>> Do(Sent& sent, WriteTarget& target, Work work);

  // ---- One attempt each.
  Task<Attempt> TryBody(Sent& sent, const WriteQuery& query, bool creates);
  Task<Attempt> TryPatch(Sent& sent, SentPatch& patch);
  Task<Attempt> TryChange(Sent& sent, const ObjectChange& change);
  Task<Attempt> TryDelete(Sent& sent, WriteTarget target, const DeleteRequest& options, bool asks);
  // Completes and stores the object of the draft. `base`: the stored object that it was made from,
  // if that matters. `change`: null if the object itself was sent.
  Task<Attempt> Write(Sent& sent, Draft& draft, StoredObjectPtr base, const ObjectChange* change);
  // Stores the draft in the shared storage first.
  Task<Attempt> CommitShared(Draft& draft);

  // ---- Steps of attempts.
  // Normalizes the object, asks the mutating webhooks, and begins. False: `base` is no longer what
  // is stored.
  Task<Result<bool>> Begin(Sent& sent, Draft& draft, StoredObjectPtr base, bool asks);
  // Asks the authorizer for rights beyond that for the request, and the admission plug-ins.
  Result<void> CheckAllowed(Sent& sent, Draft& draft, const ObjectChange* change);
  // Sets the draft's `shown` for the stored object.
  Task<Result<void>> Show(Sent& sent, StoredObjectPtr stored, Draft& draft);
  // Has the object converted to the storage version.
  Task<Result<void>> ConvertToStore(Sent& sent, Draft& draft);
  // Makes the object with the changed part, which mutating webhooks review.
  Task<Result<void>> ChangePart(Sent& sent, Draft& draft, const ChangedPart& part,
                                const StoredObject& stored);
  // Returns the draft as admission plug-ins see it.
  [[nodiscard]] static PluginRequest PluginRequestOf(Sent& sent, Draft& draft);
  // Has the plug-ins fill in a new object.
  Result<void> FillIn(Sent& sent, Draft& draft);
  // Has the draft, which is about to be stored, charged to the quotas of its namespace.
  Result<void> Charge(Sent& sent, Draft& draft);
  // Loads the stored object that an update is to change. Returns false if there is none.
  Task<Result<bool>> LoadBefore(Sent& sent, Draft& draft);
  // Asks NodeRestriction about the object as it was sent. Returns false if it is to be updated, but
  // is not stored.
  Task<Result<bool>> Restrict(Sent& sent, Draft& draft);
  // Asks mutating webhooks about the object. Returns false if it is to be updated, but is not
  // stored.
  Task<Result<bool>> Mutate(Sent& sent, Draft& draft);
  // Asks validating webhooks about the object, or about the part of it.
  Task<Result<void>> Validate(Sent& sent, Draft& draft, const ChangedPart* part);

  // Makes the response: by `answer`, which is as in ObjectChange.
  Task<ResponsePtr> Answer(Sent& sent, Result<WriteOutcome> written,
                           std::function<ResponsePtr(const WriteOutcome&)> answer);

  ServerState& state_;
  ObjectWriter& writer_;
  OffLoop& off_loop_;
  Admission& admission_;
  ObjectConverter& converter_;
  AdmissionPlugins plugins_;
};

template <class Work>
Task<std::invoke_result_t<Work&>> BodyWriter::Do(SentWrite& sent, WriteTarget& target, Work work) {
  struct ConstantCopy {
    ConstantCopy(const SentWrite& from, ResourceAt& to) : live(from.live), at(to) {
      at.resource = from.request.at.resource;
    }
    ~ConstantCopy() { at.resource = live.resource; }
    const ResourceAt& live;
    ResourceAt& at;
  };
  const ConstantCopy copy(sent, target.at);
  co_return co_await off_loop_.Do(sent.bytes, std::move(work));
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_BODY_WRITER_H_
