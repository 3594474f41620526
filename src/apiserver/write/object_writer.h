// apiserver/write/object_writer.h
//
// ObjectWriter: create, update and delete as the API defines them: from an object that a client
// sent to the one that is stored, with optimistic concurrency, generations, finalizers and no-op
// detection.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_WRITER_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_WRITER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/builtin/builtin_strategy.h"
#include "apiserver/builtin/defaults.h"
#include "apiserver/registry/server_state.h"
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
};

struct WriteOutcome {
  StoredObjectPtr stored{};
  bool created = false;
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
  std::string propagation{};  // Orphan, Background, Foreground
};

// Loop-confined. Errors are those of the API.
class ObjectWriter {
 public:
  explicit ObjectWriter(ServerState& state);

  // It hears of every write from now on, after those that were added before, and must outlive the
  // last.
  void AddObserver(WriteObserver& observer) { observers_.push_back(&observer); }

  Result<WriteOutcome> Create(const WriteTarget& target, json::Value object);
  Result<WriteOutcome> Update(const WriteTarget& target, json::Value object);
  // Applies `change` to the object as it is, and updates.
  using Change = std::function<Result<void>(json::Value& object)>;
  Result<WriteOutcome> Modify(const WriteTarget& target, const Change& change);
  Result<WriteOutcome> Delete(const WriteTarget& target, const DeleteRequest& request);

  // Whether the object, of a version with a schema, surely has the schema's members only, and those
  // of the right types. No means that it has to be looked at more closely.
  bool Fits(const ServedVersion& version, const json::Value& object);

 private:
  Result<void> CheckNamespace(const WriteTarget& target);
  // An object in a form that is not stored becomes one that is, and so does what the write is
  // about.
  Result<void> Convert(WriteTarget& target, json::Value& object);
  // The same, and what is said in two ways in one.
  Result<void> ToStoredForm(WriteTarget& target, json::Value& object);
  // Field types, and with defaulting the form that a real server gives the object.
  Result<void> ApplyTypes(const WriteTarget& target, json::Value& object);

  Result<void> CheckMayCreate(const WriteTarget& target);
  // What a new object gets from the server; checks what comes of it.
  Result<void> CompleteNew(const WriteTarget& target, json::Value& object);

  // An update of what is not there: some resources are created by it.
  Result<WriteOutcome> CreateByUpdate(const WriteTarget& target, json::Value object);
  // `object` as it is to be stored over `old`. `causes`: what is wrong already with what was sent.
  Result<json::Value> PrepareUpdate(const WriteTarget& target, const json::Value& old,
                                    json::Value object, std::vector<StatusCause>& causes);
  // `conversion`: of the form in which the object was sent, or null.
  static Result<void> ValidateUpdate(const WriteTarget& target, const Conversion* conversion,
                                     const json::Value& old, const json::Value& merged,
                                     std::vector<StatusCause> causes);

  // An object that something holds back is marked as on its way out.
  void BeginDeletion(const ServedResource& resource, json::Value& object, std::int64_t grace) const;
  // A later delete can only shorten the grace period. False: it does not.
  [[nodiscard]] bool ShortenGracePeriod(json::Value& object, std::int64_t grace) const;

  WriteOutcome Store(const WriteTarget& target, const StoredObjectPtr& old,
                     const json::Value& object);
  WriteOutcome Remove(const WriteTarget& target, const StoredObjectPtr& old);

  ServerState& state_;
  Defaults defaults_;
  BuiltinStrategy strategy_;
  std::vector<WriteObserver*> observers_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_WRITER_H_
