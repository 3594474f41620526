// kinformer/internal/snapshot_core.h
//
// SnapshotCore: one version of a store, without a type. Snapshot<T> and Lister<T> are typed shells
// around it.

#ifndef KINFORMER_INTERNAL_SNAPSHOT_CORE_H_
#define KINFORMER_INTERNAL_SNAPSHOT_CORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/function_identity.h"

namespace kinformer::internal {

namespace cache {
struct Coverage;
}  // namespace cache

// Receives the values of one object in one index. The store copies each value before Add
// returns.
class IndexValues {
 public:
  virtual ~IndexValues() = default;
  virtual void Add(std::string_view value) = 0;
};

// Returns an object's values in an index. Runs on the writer's thread (the loop), once per object
// version. Must be pure and quick. If it throws, the object has no value in that index, and the
// failure is logged with the object's key.
struct IndexFunction : std::function<void(const Block& object, IndexValues& values)> {
  using function::function;

  FunctionIdentity identity;  // null: cannot be compared
  bool by_namespace = false;  // MetaNamespaceIndexFunc
  bool ordered = false;       // OrderedIndexFunc

  [[nodiscard]] bool IsOther(const IndexFunction& than) const {
    return identity != nullptr && than.identity != nullptr && identity != than.identity;
  }
};
// Range of an ordered index, and its direction.
struct IndexBounds {
  std::string_view from{};
  std::optional<std::string_view> to{};  // first value that is excluded; none: to the end
  bool descending = false;
  std::size_t limit = 0;  // 0: no limit
};
using NamedIndexFunctions = std::vector<std::pair<std::string, IndexFunction>>;

// One version of a store. Taking one is O(1); holding one keeps at most one old version per key.
// Thread-safe. Blocks that it returns live as long as it does. It may outlive its store, whose last
// state then lives as long as the snapshot.
//
// Blocks are returned as stored, packed if the store packs: their keys can be read, and their
// addresses identify them. Whole returns a block of which everything can be read.
class SnapshotCore {
 public:
  virtual ~SnapshotCore() = default;
  SnapshotCore(const SnapshotCore&) = delete;
  SnapshotCore& operator=(const SnapshotCore&) = delete;
  [[nodiscard]] virtual const Block* Get(std::string_view namespace_,
                                         std::string_view name) const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual std::string_view ResourceVersion() const = 0;
  [[nodiscard]] virtual std::uint64_t version() const = 0;
  // Returns how often the server had gone back in time before this version.
  [[nodiscard]] virtual std::uint64_t epoch() const = 0;
  // Returns what is known about missing objects; null: they do not exist.
  [[nodiscard]] virtual const cache::Coverage* coverage() const = 0;

  // Walks all objects in unspecified order. A cursor is a position in the table; Next returns null
  // at the end. A cursor is valid as long as the snapshot, so that an initial list can be delivered
  // in pieces.
  struct Cursor {
    std::size_t position = 0;
  };
  virtual const Block* Next(Cursor& cursor) const = 0;
  // Fills `out` from its front and returns the number of blocks: below out.size() only at the end.
  virtual std::size_t NextBatch(Cursor& cursor, std::span<const Block*> out) const = 0;

  // Returns the objects with `value` in the index, at this version. kNotFound: there is no such
  // index.
  virtual Result<std::vector<const Block*>> ByIndex(std::string_view index,
                                                    std::string_view value) const = 0;
  // Returns the objects with values within the bounds, by value in byte order, then by namespace
  // and name; once for each such value. kInvalidArgument: the index is not ordered.
  virtual Result<std::vector<const Block*>> ByIndexRange(std::string_view index,
                                                         const IndexBounds& bounds) const = 0;
  // Returns the block itself, or for a packed one an unpacked copy, which is made at the first call
  // and kept as long as the snapshot. Null for null. Reads the block only if some blocks may be
  // packed.
  [[nodiscard]] const Block* Whole(const Block* block) const {
    return !packs_ || block == nullptr || !block->packed() ? block : Unpack(*block);
  }
  // Returns all values of the index with at least one object at this version, sorted.
  virtual Result<std::vector<std::string>> IndexValues(std::string_view index) const = 0;

 protected:
  // Creates a snapshot. `packs`: some of the blocks may be packed.
  explicit SnapshotCore(bool packs) : packs_(packs) {}

 private:
  // REQUIRES: packed, and of this snapshot.
  [[nodiscard]] virtual const Block* Unpack(const Block& packed) const = 0;

  const bool packs_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_SNAPSHOT_CORE_H_
