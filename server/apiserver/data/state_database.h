// apiserver/data/state_database.h
//
// StateDatabase: the versions of all objects in a database, with a bounded history.
//
// Table `versions` has a row for each version of an object, by resourceVersion: its resource, the
// version it replaces, its image (object_image.h) and the image's checksum. Rows up to the floor
// are the objects as they were then; later rows are history. When the floor rises, versions that
// were replaced go, and tombstones. Table `resources` describes the resources, and `meta` has
// numbers: the format, the floor, where the sequence began (`begun`), where it ended (`ended`, only
// if the server was shut down), and lost versions.

#ifndef KINFORMER_APISERVER_DATA_STATE_DATABASE_H_
#define KINFORMER_APISERVER_DATA_STATE_DATABASE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

#include "apiserver/data/database.h"
#include "apiserver/store/storage.h"

namespace kinformer::apiserver {

// ---- Steps of a batch.
struct PutVersion {
  std::uint32_t resource = 0;
  StoredObjectPtr stored{};
  std::int64_t previous = 0;
  SteadyTime time{};
};
struct DescribeResource {
  KeptResource resource{};
};
struct DropResource {
  std::uint32_t resource = 0;
};
struct ClearVersions {
  std::int64_t floor = 0;
};
struct EndVersions {
  std::int64_t resource_version = 0;
};
using BatchStep =
    std::variant<PutVersion, DescribeResource, DropResource, ClearVersions, EndVersions>;

struct HistoryBounds {
  std::size_t max_events = 0;
  Duration max_age{0};
};

// For one thread at a time.
class StateDatabase {
 public:
  // Errors are kConfig and name the file: damaged, of another program, or of a newer format.
  static Result<std::unique_ptr<StateDatabase>> Open(const std::string& path, HistoryBounds bounds,
                                                     std::size_t max_bytes);

  // Reads what was kept; nothing for a new database. Then notes that the sequence goes on: until
  // the end, a kill would lose the versions seen but not kept.
  Result<std::optional<KeptState>> Load(SteadyTime now);
  // Writes all steps in one commit. After an error nothing of them is kept.
  Result<void> Write(const std::vector<BatchStep>& steps, SteadyTime now);
  // Returns whether the last error may pass: the disk is full.
  [[nodiscard]] bool MayRetry() const { return may_retry_; }

 private:
  // A row of history.
  struct Past {
    std::int64_t resource_version = 0;
    std::int64_t previous = 0;
    bool tombstone = false;
    SteadyTime time{};
  };
  struct Changes;

  StateDatabase(std::unique_ptr<Database> database, HistoryBounds bounds);
  Result<void> Prepare(std::size_t max_bytes);
  Result<std::optional<std::int64_t>> Meta(const std::string& name);
  Result<void> SetMeta(const std::string& name, std::int64_t number);
  Result<void> ReadResources(KeptState& state);
  Result<void> ReadVersions(KeptState& state, SteadyTime now);
  Result<void> ReadLost(KeptState& state);
  Result<void> Begin(KeptState& state, std::int64_t last, bool ended);

  Result<void> WriteSteps(const std::vector<BatchStep>& steps, SteadyTime now, Changes& changes);
  Result<void> WriteStep(const PutVersion& put, Changes& changes);
  Result<void> WriteStep(const DescribeResource& describe, Changes& changes);
  Result<void> WriteStep(const DropResource& drop, Changes& changes);
  Result<void> WriteStep(const ClearVersions& clear, Changes& changes);
  Result<void> WriteStep(const EndVersions& end, Changes& changes);
  // Raises the floor, by up to `most` rows of history.
  Result<void> Compact(SteadyTime now, std::size_t most, Changes& changes);

  std::unique_ptr<Database> database_;
  const HistoryBounds bounds_;
  std::int64_t floor_ = 0;
  std::deque<Past> history_;  // rows after the floor
  bool may_retry_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DATA_STATE_DATABASE_H_
