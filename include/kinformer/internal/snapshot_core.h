// kinformer/internal/snapshot_core.h
//
// SnapshotCore: one version of a store, without a type. What Snapshot<T> and Lister<T> are thin
// shells over.

#ifndef KINFORMER_INTERNAL_SNAPSHOT_CORE_H_
#define KINFORMER_INTERNAL_SNAPSHOT_CORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/internal/function_identity.h"
#include "kinformer/result.h"

namespace kinformer::internal {

namespace cache {
struct Coverage;
}  // namespace cache

// Collects the values of one object under one index. Values are copied by the store before Add
// returns.
class IndexValues {
 public:
  virtual ~IndexValues() = default;
  virtual void Add(std::string_view value) = 0;
};

// Runs on the writer's thread (the loop), once per object version. Must be pure and quick. A throw
// is contained: the object is then in no value of that index and the failure is logged with its
// key.
struct IndexFunction : std::function<void(const Block& object, IndexValues& values)> {
  using function::function;

  std::shared_ptr<const FunctionIdentity> identity;  // null: nothing is known
  bool by_namespace = false;                         // MetaNamespaceIndexFunc
  bool ordered = false;                              // OrderedIndexFunc

  [[nodiscard]] bool IsOther(const IndexFunction& than) const {
    return identity != nullptr && than.identity != nullptr && !identity->IsSame(*than.identity);
  }
};
// Which objects of an ordered index, and from which end.
struct IndexBounds {
  std::string_view from{};
  std::optional<std::string_view> to{};  // the first value that is not included; none: to the end
  bool descending = false;
  std::size_t limit = 0;  // 0: none
};
using NamedIndexFunctions = std::vector<std::pair<std::string, IndexFunction>>;

// One version of a store. Taking one is O(1); holding one keeps at most one old version per key.
// Thread-safe; blocks that it gives out live as long as it does. It may outlive its store, whose
// last state then lives as long as the snapshot.
//
// Blocks come as they stand in the store, packed where the store packs: their key can be read and
// they can be told apart by their addresses. Whole gives what else is to be read of one.
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
  // How often the server had gone back in time before.
  [[nodiscard]] virtual std::uint64_t epoch() const = 0;
  // What may be said of objects that it lacks; null: that they do not exist.
  [[nodiscard]] virtual const cache::Coverage* coverage() const = 0;

  // Walks all objects in unspecified order. A cursor is a position in the table: Next returns null
  // at the end. A cursor may be kept for as long as the snapshot, so that initial lists are
  // delivered from it piece by piece.
  struct Cursor {
    std::size_t position = 0;
  };
  virtual const Block* Next(Cursor& cursor) const = 0;
  // Fills `out` from its front and returns how many; fewer than out.size() only at the end.
  virtual std::size_t NextBatch(Cursor& cursor, std::span<const Block*> out) const = 0;

  // The objects that have `value` in the index, at this version. kNotFound if there is no such
  // index.
  virtual Result<std::vector<const Block*>> ByIndex(std::string_view index,
                                                    std::string_view value) const = 0;
  // The objects whose values lie within the bounds, by value in byte order, then by namespace and
  // name; once for each such value. kInvalidArgument where the index is not ordered.
  virtual Result<std::vector<const Block*>> ByIndexRange(std::string_view index,
                                                         const IndexBounds& bounds) const = 0;
  // The block itself; of a packed one, an unpacked copy, made at the first call and kept as long as
  // the snapshot. Null for null.
  // Looks at the block only where some may be packed.
  [[nodiscard]] const Block* Whole(const Block* block) const {
    return !packs_ || block == nullptr || !block->packed() ? block : Unpack(*block);
  }
  // All values of the index that have at least one object at this version, sorted.
  virtual Result<std::vector<std::string>> IndexValues(std::string_view index) const = 0;

 protected:
  // `packs`: some of the blocks may be packed.
  explicit SnapshotCore(bool packs) : packs_(packs) {}

 private:
  // REQUIRES: packed, and of this snapshot.
  [[nodiscard]] virtual const Block* Unpack(const Block& packed) const = 0;

  const bool packs_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_SNAPSHOT_CORE_H_
