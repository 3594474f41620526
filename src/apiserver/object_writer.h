// apiserver/object_writer.h
//
// ObjectWriter: create, update and delete as the API defines them: from an object that a client sent to the one that is stored,
// with optimistic concurrency, generations, finalizers and no-op detection.

#ifndef KINFORMER_SRC_APISERVER_OBJECT_WRITER_H_
#define KINFORMER_SRC_APISERVER_OBJECT_WRITER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/defaults.h"
#include "apiserver/lifecycle.h"
#include "apiserver/preparation.h"
#include "apiserver/server_state.h"

namespace kinformer::apiserver {

// What a write is about. An empty name on create: the object's own.
struct WriteTarget {
  ResourceAt at{};
  std::string namespace_{};
  std::string name{};
  std::string subresource{};
  bool dry_run = false;
  // The writer is part of this process: the status that comes with an object counts, though the resource has a status subresource,
  // and fields that clients cannot change can be changed.
  bool keep_status = false;
  // The object has been checked against the schema.
  bool checked = false;
};

struct WriteOutcome {
  RecordPtr record{};
  bool created = false;
  bool removed = false;  // the object is gone
  // The same as the record holds, where it has just been created, for encodings that are not the record's text.
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

  Result<WriteOutcome> Create(const WriteTarget& target, json::Value object);
  Result<WriteOutcome> Update(const WriteTarget& target, json::Value object);
  // Applies `change` to the object as it is, and updates.
  using Change = std::function<Result<void>(json::Value& object)>;
  Result<WriteOutcome> Modify(const WriteTarget& target, const Change& change);
  Result<WriteOutcome> Delete(const WriteTarget& target, const DeleteRequest& request);

  // Whether the object, of a version with a schema, surely has the schema's members only, and those of the right types. No means
  // that it has to be looked at more closely.
  bool Fits(const ServedVersion& version, const json::Value& object);

 private:
  Result<void> CheckNamespace(const WriteTarget& target);
  // An object in a form that is not stored becomes one that is, and so does what the write is about.
  Result<void> Convert(WriteTarget& target, json::Value& object);
  // Field types, and with defaulting the form that a real server gives the object.
  Result<void> ApplyTypes(const WriteTarget& target, json::Value& object);
  WriteOutcome Store(const WriteTarget& target, const RecordPtr& old, const json::Value& object);
  WriteOutcome Remove(const WriteTarget& target, const RecordPtr& old);
  json::Value MergeForUpdate(const WriteTarget& target, const json::Value& old,
                             json::Value object) const;

  ServerState& state_;
  Defaults defaults_;
  Preparation preparation_;
  Lifecycle lifecycle_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_OBJECT_WRITER_H_
