// apiserver/write/object_writer.h
//
// ObjectWriter: create, update and delete as the API defines them: from an object that a client
// sent to the one that is stored, with optimistic concurrency, generations, finalizers and no-op
// detection.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_WRITER_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/builtin/builtin_strategy.h"
#include "apiserver/builtin/defaults.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/write/write_observer.h"

namespace kinformer::apiserver {

// What a write is about. An empty name on create: the object's own.
struct WriteTarget {
  ResourceAt at{};
  std::string namespace_{};
  std::string name{};
  std::string subresource{};
  bool dry_run = false;
  // The writer is part of this process: the status that comes with an object counts, though the
  // resource has a status subresource, and fields that clients cannot change can be changed.
  bool keep_status = false;
  // The object has been checked against the schema.
  bool checked = false;
  // Whose request it is; null: this process's own.
  UserInfoPtr user{};
};

struct WriteOutcome {
  StoredObjectPtr stored{};
  bool created = false;
  // Something is yet to be done: 202.
  bool accepted = false;
  bool removed = false;  // the object is gone
  // The same, parsed, where it has just been created: for encodings that do not show its text.
  json::Value document{};
  // What the client should know, though it is not wrong.
  std::vector<std::string> warnings{};
};

struct DeleteRequest {
  std::optional<std::int64_t> grace_period_seconds{};
  // Preconditions. An empty one is one, too, which no object meets.
  std::optional<std::string> uid{};
  std::optional<std::string> resource_version{};
  // Orphan, Background, Foreground; empty: what the object's finalizers say, or else what is usual
  // for its kind.
  std::string propagation{};
  json::Value sent{};  // DeleteOptions as webhooks are shown them; null: there are none
};

// An object on its way to be stored.
struct Draft {
  WriteTarget target{};
  json::Value object{};
  bool creates = false;
  WallTime now{};  // when it was sent
  // The form in which it was sent, where that is not the one in which it is stored; or null.
  const Conversion* sent_as = nullptr;
  std::string sent_version{};  // the resourceVersion of one that is to be created
  bool generated = false;      // its name is one that the server chose
  // What it takes the place of; null of new ones.
  StoredObjectPtr over{};
  // The same in the version of the target, where a webhook had to convert it; null: it had not.
  StoredObjectPtr shown{};
  json::Value old{};  // the same, parsed
  // The object is complete in the version of the target, and a webhook has to convert it to the one
  // in which it is stored.
  bool converts = false;
  // What comes of it, but for its resourceVersion; null with `unchanged`.
  StoredObjectPtr stored{};
  bool unchanged = false;
  // Of a definition with a new spec: what that says, and what is to be said of it.
  std::shared_ptr<const DefinedResource> defined{};
  // And the objects that are stored, in the form that it gives them: Reshape.
  std::shared_ptr<ReshapedObjects> reshaped{};
  std::vector<std::string> warnings{};
};

// An object on its way out.
struct Deletion {
  DeleteRequest request{};
  WallTime now{};
  StoredObjectPtr over{};  // what is to go
  // The same as it is shown where something holds it back, or on its way out; null: it is not.
  StoredObjectPtr marked{};
  json::Value object{};  // the outline of `marked`
  bool removes = false;  // nothing holds it back
};

// Loop-confined, but for what is said to be for any thread. Errors are those of the API.
class ObjectWriter {
 public:
  explicit ObjectWriter(ServerState& state);

  // It hears of every write from now on, after those that were added before, and must outlive the
  // last.
  void AddObserver(WriteObserver& observer) { observers_.push_back(&observer); }

  // ---- A write in steps, in this order. Those which cost by the object's size may run on any
  // thread: all that they look at is the draft. Its target.at.resource must not change meanwhile.
  // Checks what was sent, and gives it the form in which it is stored. On any thread.
  Result<void> Normalize(Draft& draft);
  // Finds what is there already. False: the draft of an update has become one of a create, which
  // begins with Normalize again.
  Result<bool> Begin(Draft& draft);
  // Whether the two that come next have something to do.
  [[nodiscard]] bool MustAssign(const Draft& draft) const;
  // Parses what is there. On any thread.
  static void Load(Draft& draft);
  // What others have is not given away again: addresses of Services.
  Result<void> Assign(Draft& draft);
  // From what was sent to what will be stored. On any thread. REQUIRES: `shown` is there, if what
  // is there already has to be converted.
  Result<void> Complete(Draft& draft);
  // The rest of it, for a draft that `converts`, once its object is of the storage version. On any
  // thread.
  Result<void> CompleteConverted(Draft& draft);
  // Of a definition with a new spec whose resource has much in store: what becomes of that, to be
  // begun before the write, which ends it. Null: there is little to do.
  [[nodiscard]] std::shared_ptr<ReshapedObjects> Reshape(const Draft& draft) const;
  // Whether what the draft is about is still as Begin has found it.
  [[nodiscard]] static bool IsCurrent(const Draft& draft);
  // REQUIRES: IsCurrent. Of the draft only what it is about is left.
  Result<WriteOutcome> Commit(Draft& draft);

  // ---- A delete in steps, likewise.
  Result<void> BeginDelete(const WriteTarget& target, Deletion& deletion) const;
  // On any thread.
  void CompleteDelete(const WriteTarget& target, Deletion& deletion) const;
  [[nodiscard]] static bool IsCurrent(const WriteTarget& target, const Deletion& deletion);
  // REQUIRES: IsCurrent.
  WriteOutcome CommitDelete(const WriteTarget& target, Deletion& deletion);

  // ---- A write at once.
  Result<WriteOutcome> Create(const WriteTarget& target, json::Value object);
  Result<WriteOutcome> Update(const WriteTarget& target, json::Value object);
  // Applies `change` to the object as it is, and updates.
  using Change = std::function<Result<void>(json::Value& object)>;
  Result<WriteOutcome> Modify(const WriteTarget& target, const Change& change);
  Result<WriteOutcome> Delete(const WriteTarget& target, const DeleteRequest& request);
  // Changes what `members` say of the object that is there, or removes it, if it has waited for
  // nothing but that. Costs by these alone, however large the object is. For what the server itself
  // writes: no checks are made.
  using OutlineChange = std::function<void(json::Value& outline)>;
  Result<WriteOutcome> ModifyOutline(const WriteTarget& target, const OutlineChange& change,
                                     std::span<const OutlineMember> members = kDeletionOutline);

  // Whether the object, of a version with a schema, surely has the schema's members only, and those
  // of the right types. No means that it has to be looked at more closely. On any thread.
  bool Fits(const ServedVersion& version, const json::Value& object);

 private:
  Result<void> CheckNamespace(const WriteTarget& target);
  // Field types of what was sent, before anything is made of it: what is copied from one field to
  // another would be blamed there, or lost.
  Result<void> CheckSent(const Draft& draft);
  // REQUIRES: its version has a conversion. The object takes the form that is stored, and so does
  // what the write is about.
  void Convert(Draft& draft);
  // The same, and what is said in two ways in one.
  Result<void> ToStoredForm(Draft& draft);
  // Field types, and with defaulting the form that a real server gives the object.
  Result<void> ApplyTypes(const WriteTarget& target, json::Value& object);

  Result<void> CheckMayCreate(const WriteTarget& target);
  Result<void> NormalizeNew(Draft& draft);
  Result<void> BeginNew(Draft& draft);
  static Result<void> TurnIntoCreate(Draft& draft);
  Result<void> CompleteNew(Draft& draft) const;
  Result<void> CompleteUpdate(Draft& draft);
  // What is to be stored, from the object as it is stored.
  Result<void> CompleteStored(Draft& draft);
  // Reads the spec of a definition.
  static void CompleteDefinition(Draft& draft);
  Result<void> CheckSize(const Draft& draft) const;
  Result<void> Merge(Draft& draft, std::vector<StatusCause>& causes) const;
  Result<void> ValidateUpdate(const Draft& draft, std::vector<StatusCause> causes) const;
  Result<WriteOutcome> CommitNew(Draft& draft);
  Result<WriteOutcome> Write(Draft draft);

  // What the draft has come to.
  WriteOutcome Store(Draft& draft);
  // `made`, whatever its resourceVersion, where nothing but the outline has changed.
  WriteOutcome StoreOutline(const WriteTarget& target, const StoredObjectPtr& old,
                            const StoredObjectPtr& made, const json::Value& outline);
  // Under the next resourceVersion.
  StoredObjectPtr Put(const WriteTarget& target, const StoredObject& made);
  void Tell(const ObjectPut& put);
  WriteOutcome Remove(const WriteTarget& target, const StoredObjectPtr& old);

  ServerState& state_;
  Defaults defaults_;
  BuiltinStrategy strategy_;
  std::vector<WriteObserver*> observers_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_WRITER_H_
