// cache/store_core.h
//
// StoreCore: the untyped store under every Store, Indexer, Lister and Snapshot. One writer, any number of readers that never
// block it and are never blocked.
//
// Structure: a flat open-addressing table whose buckets point at blocks; the versions of a key are chained through the blocks;
// a snapshot is a version number. Indexes hold a superset of the keys of each value and are checked again at the reader's
// version, so that one number covers the store and all its indexes.

#ifndef KINFORMER_CACHE_STORE_CORE_H_
#define KINFORMER_CACHE_STORE_CORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/object_name.h"
#include "kinformer/result.h"

namespace kinformer::internal {

// Collects the values of one object under one index. Values are copied by the store before Add returns.
class IndexValues {
 public:
  virtual ~IndexValues() = default;
  virtual void Add(std::string_view value) = 0;
};
// Runs on the writer's thread (the loop), once per object version. Must be pure and quick. A throw is contained: the object is
// then in no value of that index and the failure is logged with its key.
using IndexFunction = std::function<void(const Block& object, IndexValues& values)>;

struct StoreCoreOptions {
  std::string name{};  // for logs and metrics
  // Includes the index "namespace" unless false.
  bool namespace_index = true;
};

struct StoreStats {
  std::size_t objects = 0;
  std::size_t object_bytes = 0;   // blocks of the current version
  std::size_t pinned_bytes = 0;   // blocks kept only for snapshots
  std::size_t table_bytes = 0;    // table and indexes
  std::size_t snapshots = 0;
};

class SnapshotCore;

// What a write changed. `old_object` is null for an insert, `object` for a delete.
struct StoreChange {
  ObjectRef old_object;
  ObjectRef object;
};

// Writers: one at a time (the loop thread, or guarded by the caller). Readers: any thread, any time.
class StoreCore {
 public:
  StoreCore(Env& env, StoreCoreOptions options);
  ~StoreCore();  // Snapshots may outlive it

  // ---- writer
  // Begin … Commit make one version: readers see all of it or nothing. Writes outside a Begin are a version each.
  void Begin();
  void Commit();
  // Inserts or replaces under the object's namespace and name. Returns what was there. A block claimed by another store is cloned.
  ObjectRef Put(ObjectRef object);
  // Removes; returns what was there, null if nothing.
  ObjectRef Erase(std::string_view namespace_, std::string_view name);
  // The version of the collection that the store has applied; part of the next commit.
  void SetResourceVersion(std::string_view resource_version);
  // Frees a bounded part of what no reader can see any more. Commit does a little by itself; idle time may call this. True: more.
  bool CollectSome(std::size_t max_blocks);

  // Adds an index and fills it. Error kAlreadyExists if one of the name exists. May be called while readers run.
  Result<void> AddIndex(std::string name, IndexFunction function);
  Result<void> RemoveIndex(std::string_view name);

  // ---- readers
  [[nodiscard]] ObjectRef Get(std::string_view namespace_, std::string_view name) const;
  [[nodiscard]] std::shared_ptr<const SnapshotCore> Snapshot() const;
  [[nodiscard]] std::string ResourceVersion() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] StoreStats Stats() const;
  [[nodiscard]] bool HasIndex(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> IndexNames() const;

 private:
  friend class SnapshotCore;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// One version of a store. Taking one is O(1); holding one keeps at most one old version per key. Thread-safe; blocks that it
// gives out live as long as it does.
class SnapshotCore {
 public:
  virtual ~SnapshotCore() = default;
  [[nodiscard]] virtual const Block* Get(std::string_view namespace_, std::string_view name) const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual std::string_view ResourceVersion() const = 0;
  [[nodiscard]] virtual std::uint64_t version() const = 0;

  // Walks all objects in unspecified order. A cursor is a position in the table: Next returns null at the end. A cursor may be
  // kept for as long as the snapshot, so that initial lists are delivered from it piece by piece.
  struct Cursor {
    std::size_t position = 0;
  };
  virtual const Block* Next(Cursor& cursor) const = 0;

  // The objects that have `value` in the index, at this version. kNotFound if there is no such index.
  virtual Result<std::vector<const Block*>> ByIndex(std::string_view index, std::string_view value) const = 0;
  // All values of the index that have at least one object at this version, sorted.
  virtual Result<std::vector<std::string>> IndexValues(std::string_view index) const = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_STORE_CORE_H_
