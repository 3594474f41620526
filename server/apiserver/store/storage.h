// apiserver/store/storage.h
//
// Storage: where a server keeps what it stores beyond its own life.

#ifndef KINFORMER_APISERVER_STORE_STORAGE_H_
#define KINFORMER_APISERVER_STORE_STORAGE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

#include "apiserver/store/saved_state.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// A resource in a storage; `saved` has no objects where only the resource is described.
struct KeptResource {
  std::uint32_t id = 0;
  // A definition has changed the objects since they were written: they must be shaped again.
  bool reshaped = false;
  SavedResource saved{};
};

// Versions after `first`, up to `last`, which may have been seen, but were not kept.
struct LostVersions {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Content of a storage.
struct KeptState {
  std::int64_t floor = 0;             // history begins here
  std::int64_t resource_version = 0;  // where the sequence goes on
  std::vector<LostVersions> lost{};
  std::vector<KeptResource> resources{};
};

// Takes writes in the order in which they are made, and writes them in batches on a thread of its
// own: the caller never waits for the disk. Loop-confined, except the destructor.
class Storage {
 public:
  virtual ~Storage() = default;

  // Returns what was kept before, once; nothing for a new storage.
  virtual std::optional<KeptState> TakeKept() = 0;

  // ---- Writes.
  // A resource is described before its first object, and when its description changes.
  virtual void Describe(KeptResource resource) = 0;
  // A version of an object, or its tombstone; `previous`: that of the object that it replaces, 0
  // for a new one.
  virtual void Put(std::uint32_t resource, StoredObjectPtr stored, std::int64_t previous) = 0;
  // Forgets a resource with all its objects.
  virtual void Drop(std::uint32_t resource) = 0;
  // Forgets all objects; history begins at `floor`.
  virtual void Clear(std::int64_t floor) = 0;

  // ---- Progress.
  // Returns whether all writes are on the disk.
  [[nodiscard]] virtual bool written() const = 0;
  // Calls `done` on the loop when all writes until now are on the disk, or cannot be written for
  // now, unless the ticket was destroyed before.
  [[nodiscard]] virtual std::shared_ptr<void> WhenWritten(
      std::function<void(Result<void>)> done) = 0;
  // Returns why no further writes should be made; null if they may.
  [[nodiscard]] virtual const Error* refusal() const = 0;
  // Writes what is left, and notes the version. Blocks. No writes may follow.
  virtual void Close(std::int64_t resource_version) = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_STORAGE_H_
