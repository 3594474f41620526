// kinformer/apiserver/state_snapshot.h
//
// StateSnapshot: everything that an ApiServer stores at one moment, to start other servers from, or
// to return to.
//
//   apiserver::StateSnapshot prepared = server.Snapshot();
//   ...
//   server.Restore(prepared).OrExit();               // before each test
//   prepared.WriteFile("prepared.state").OrExit();   // kinformer apiserver --load prepared.state

#ifndef KINFORMER_APISERVER_STATE_SNAPSHOT_H_
#define KINFORMER_APISERVER_STATE_SNAPSHOT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/result.h"

namespace kinformer::apiserver {

// Holds all objects with their uids, resourceVersions and managedFields, definitions of custom
// resources among them, but neither history nor tokens. Immutable and thread-safe; copies share
// the bytes. The bytes carry their length and a checksum. They may contain Secrets.
// Counterpart: a snapshot of etcd (etcdctl snapshot save).
class StateSnapshot {
 public:
  // Returns whether the bytes begin as those of a snapshot do, whole or not.
  [[nodiscard]] static bool IsOne(std::string_view bytes);
  // Errors: kConfig for bytes that are no snapshot, that break off, are damaged, or have another
  // version's format.
  static Result<StateSnapshot> FromBytes(std::string bytes);
  // Errors name the file.
  static Result<StateSnapshot> ReadFile(const std::string& path);

  [[nodiscard]] const std::string& bytes() const { return *bytes_; }
  // Replaces the file in one step, with mode 0600, and waits until it is on the disk. Errors:
  // kConfig, which names the file.
  Result<void> WriteFile(const std::string& path) const;

  // Returns the resourceVersion of the server at that moment.
  [[nodiscard]] std::int64_t resource_version() const { return resource_version_; }
  [[nodiscard]] std::size_t object_count() const { return object_count_; }

 private:
  friend class ApiServer;
  StateSnapshot(std::string bytes, std::int64_t resource_version, std::size_t object_count)
      : bytes_(std::make_shared<const std::string>(std::move(bytes))),
        resource_version_(resource_version),
        object_count_(object_count) {}

  std::shared_ptr<const std::string> bytes_;
  std::int64_t resource_version_;
  std::size_t object_count_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STATE_SNAPSHOT_H_
