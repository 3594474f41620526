// apiserver/write/object/object_writer.h
//
// ObjectWriter: create, update and delete with the semantics of the API: turns an object from a
// client into the stored one, with optimistic concurrency, generations, finalizers and detection of
// no-ops.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_OBJECT_WRITER_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_OBJECT_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/builtin/builtin_strategy.h"
#include "apiserver/builtin/defaults.h"
#include "apiserver/ownership/field_manager.h"
#include "apiserver/registry/built_in_conversion.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/write/object/write_observer.h"
#include "apiserver/write/object/write_request.h"

namespace kinformer::apiserver {

// State of a create or update between its steps.
struct Draft {
  WriteTarget target{};
  json::Value object{};
  bool creates = false;
  WallTime now{};  // when it was requested
  // The form in which it was sent, if it differs from the stored form; else null.
  const Conversion* sent_as = nullptr;
  std::string sent_version{};  // resourceVersion sent with an object to create
  bool generated = false;      // the server has generated its name
  // Object to replace; null for a create.
  StoredObjectPtr over{};
  // The same in the target's version, if it had to be converted for that; else null.
  StoredObjectPtr shown{};
  json::Value old{};      // the same, parsed
  ServerFields chosen{};  // if owners are tracked
  // Why it is forbidden once it is valid; empty: it is not.
  std::string forbidden{};
  // The object is complete in the target's version, and a webhook must convert it to the storage
  // version.
  bool converts = false;
  // Result, without its final resourceVersion; null if `unchanged`.
  StoredObjectPtr stored{};
  bool unchanged = false;
  // Set for a definition with a new spec: the parsed spec.
  std::shared_ptr<const DefinedResource> defined{};
  // Shared storage: its version, if it is stored already.
  std::optional<std::int64_t> committed{};
  // And the stored objects converted to it (Reshape), and warnings for the client.
  std::shared_ptr<ReshapedObjects> reshaped{};
  std::vector<std::string> warnings{};
};

// State of a delete between its steps.
struct Deletion {
  DeleteRequest request{};
  WallTime now{};
  StoredObjectPtr over{};  // object to delete
  // The object marked as deleted, if finalizers or a grace period keep it; else null.
  StoredObjectPtr marked{};
  json::Value object{};  // the outline of `marked`
  bool removes = false;  // it can be removed at once
  // Shared storage: versions of the marked object and of the removal, if they are stored already.
  std::optional<std::int64_t> committed_mark{};
  std::optional<std::int64_t> committed_removal{};
};

// Loop-confined, except for functions documented as thread-safe. Errors are those of the API.
class ObjectWriter {
 public:
  explicit ObjectWriter(ServerState& state);

  // Adds an observer of all later writes, called after those added before. It must outlive the last
  // write.
  void AddObserver(WriteObserver& observer) { observers_.push_back(&observer); }

  // Has the observers read all objects again, since what is stored was replaced.
  void StateReplaced();

  // ---- A write in steps, in this order. The thread-safe ones, whose cost grows with the object's
  // size, read only the draft; its target.at.resource must not change meanwhile.
  // Validates what was sent, and converts it to the stored form. Thread-safe.
  Result<void> Normalize(Draft& draft);
  // Finds the stored object. Returns false if the update has become a create, which starts again
  // with Normalize.
  Result<bool> Begin(Draft& draft);
  // Returns whether Load and Assign have to be called.
  [[nodiscard]] bool MustAssign(const Draft& draft) const;
  // Parses the stored object. Thread-safe.
  static void Load(Draft& draft);
  // Allocates values that must be unique: addresses of Services.
  Result<void> Assign(Draft& draft);
  // Completes the object, ready to be stored. Thread-safe. REQUIRES: `shown` is set, if the stored
  // object must be converted.
  Result<void> Complete(Draft& draft);
  // Finishes a draft that `converts`, once its object was converted to the storage version.
  // Thread-safe.
  Result<void> CompleteConverted(Draft& draft);
  // Prepares the conversion of stored objects to a definition's new spec, to be run before Commit
  // completes it. Returns null if there are few objects.
  [[nodiscard]] std::shared_ptr<ReshapedObjects> Reshape(const Draft& draft) const;
  // Returns whether the stored object is still the one that Begin found.
  [[nodiscard]] static bool IsCurrent(const Draft& draft);
  // REQUIRES: IsCurrent. Leaves only the draft's target valid.
  Result<WriteOutcome> Commit(Draft& draft);

  // ---- A delete in steps, with the same rules.
  Result<void> BeginDelete(const WriteTarget& target, Deletion& deletion) const;
  // Thread-safe.
  void CompleteDelete(const WriteTarget& target, Deletion& deletion) const;
  [[nodiscard]] static bool IsCurrent(const WriteTarget& target, const Deletion& deletion);
  // REQUIRES: IsCurrent.
  Result<WriteOutcome> CommitDelete(const WriteTarget& target, Deletion& deletion);

  // ---- With a shared storage: what Commit and CommitDelete are going to store, for whoever stores
  // it before, without blocking, and notes the version in the draft. None: they store nothing.
  [[nodiscard]] static std::optional<SharedChange> ChangeOf(const Draft& draft);
  [[nodiscard]] static std::optional<SharedChange> MarkOf(const WriteTarget& target,
                                                          const Deletion& deletion);
  // REQUIRES: the object was marked, if that has to be done.
  [[nodiscard]] static std::optional<SharedChange> RemovalOf(const WriteTarget& target,
                                                             const Deletion& deletion);
  // An object of the shared storage, put into its store or removed from it, before the observers
  // hear of it.
  struct Applied {
    std::shared_ptr<ServedResource> resource{};
    StoredObjectPtr old{};
    StoredObjectPtr stored{};  // null: removed
    json::Value object{};
  };
  // REQUIRES: the version is the latest one.
  [[nodiscard]] Applied Apply(const std::shared_ptr<ServedResource>& resource,
                              const StoredObjectPtr& stored, json::Value object);
  // None: there is no such object.
  [[nodiscard]] std::optional<Applied> ApplyRemoval(const std::shared_ptr<ServedResource>& resource,
                                                    const std::string& key, std::int64_t version);
  void Tell(const Applied& applied);

  // ---- A write in one step.
  Result<WriteOutcome> Create(const WriteTarget& target, json::Value object);
  Result<WriteOutcome> Update(const WriteTarget& target, json::Value object);
  // Applies `change` to the current object, and updates it.
  using Change = std::function<Result<void>(json::Value& object)>;
  Result<WriteOutcome> Modify(const WriteTarget& target, const Change& change);
  Result<WriteOutcome> Delete(const WriteTarget& target, const DeleteRequest& request);
  // Changes `members` of the stored object, or removes it if it was only waiting for that change.
  // The cost depends on these members alone, not on the object's size. For the server's own writes:
  // validates nothing.
  using OutlineChange = std::function<void(json::Value& outline)>;
  Result<WriteOutcome> ModifyOutline(const WriteTarget& target, const OutlineChange& change,
                                     std::span<const OutlineMember> members = kDeletionOutline);

  // Returns true if the object certainly has only members of its version's schema, all with the
  // right types. False means that a full check is needed. Thread-safe.
  bool Fits(const ServedVersion& version, const json::Value& object);

 private:
  Result<void> CheckNamespace(const WriteTarget& target);
  // Checks the field types of the object as sent, before values are copied between fields: errors
  // would then name the wrong field, or be lost.
  Result<void> CheckSent(const Draft& draft);
  // REQUIRES: its version has a conversion. Converts the object to the stored form, and sets the
  // draft's target accordingly.
  void Convert(Draft& draft);
  // Convert, if needed, and normalizes fields that have two spellings.
  Result<void> ToStoredForm(Draft& draft);
  // With defaulting, gives the object the form that a real server gives it.
  Result<void> ApplyTypes(const WriteTarget& target, json::Value& object);

  Result<void> CheckMayCreate(const WriteTarget& target);
  Result<void> NormalizeNew(Draft& draft);
  Result<void> BeginNew(Draft& draft);
  static Result<void> TurnIntoCreate(Draft& draft);
  Result<void> CompleteNew(Draft& draft) const;
  Result<void> CompleteUpdate(Draft& draft);
  // Makes the stored object, from a complete object in the storage version.
  Result<void> CompleteStored(Draft& draft);
  // Parses the spec of a definition.
  static void CompleteDefinition(Draft& draft);
  Result<void> Merge(Draft& draft, std::vector<StatusCause>& causes) const;
  Result<void> ValidateUpdate(Draft& draft, std::vector<StatusCause> causes) const;
  Result<WriteOutcome> CommitNew(Draft& draft);
  Result<WriteOutcome> Write(Draft draft);

  // Repeats a write of the server itself while writes of other servers come first.
  template <class Try>
  Result<WriteOutcome> Repeated(Try attempt);
  Result<WriteOutcome> TryOutline(const WriteTarget& target, const OutlineChange& change,
                                  std::span<const OutlineMember> members);

  // Stores the result of the draft.
  Result<WriteOutcome> Store(Draft& draft);
  // Stores `made`, whose outline alone differs from `old`, under a new resourceVersion.
  Result<WriteOutcome> StoreOutline(const WriteTarget& target, const StoredObjectPtr& old,
                                    const StoredObjectPtr& made, const json::Value& outline);
  // Stores the object under the next resourceVersion.
  StoredObjectPtr Put(const WriteTarget& target, const StoredObject& made);
  void Tell(const ObjectPut& put);
  Result<WriteOutcome> Remove(const WriteTarget& target, const StoredObjectPtr& old);
  // The same with a shared storage; `made`: null to remove it. `committed`: its version, if it is
  // stored already.
  Result<WriteOutcome> StoreShared(const WriteTarget& target, const StoredObjectPtr& old,
                                   const StoredObjectPtr& made,
                                   std::optional<std::int64_t> committed);

  ServerState& state_;
  Defaults defaults_;
  BuiltinStrategy strategy_;
  std::vector<WriteObserver*> observers_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_OBJECT_WRITER_H_
