#include "cache/store/store_state.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "cache/store/reclamation.h"

namespace kinformer::internal::cache {

StoreState::StoreState(Env& env, std::string store_name, bool packs_blocks)
    : hash_seed(env.Random()),
      packs(packs_blocks),
      table(new KeyTable(1)),
      missing_indexes(env, std::move(store_name)) {
  table_bytes.store(table.load(std::memory_order_relaxed)->bytes(), std::memory_order_relaxed);
}

StoreState::~StoreState() {
  for (std::uint32_t entry = 0; entry < entries_end; ++entry) {
    Link link = heads[entry].load(std::memory_order_relaxed);
    while (link != 0) {
      const Link previous = PreviousOf(link);
      if (IsTombstone(link)) {
        delete TombstoneOf(link);
      } else {
        BlockOf(link)->Unclaim();
        BlockOf(link)->Release();
      }
      link = previous;
    }
  }
  delete table.load(std::memory_order_relaxed);
}

std::size_t StoreState::Walk(const VersionNode& node, std::size_t& position,
                             std::span<const Block*> out) const {
  std::size_t n = 0;
  while (position < node.content.entries && n < out.size()) {
    const auto first = static_cast<std::uint32_t>(position);
    const std::uint32_t end = std::min(node.content.entries, (first | (kGroup - 1)) + 1);
    // All entries of a group are in one segment.
    const std::atomic<Link>* head = &heads[first];
    std::array<Link, kGroup> links;
    for (std::uint32_t i = first; i < end; ++i) {
      links[i - first] = head[i - first].load(std::memory_order_acquire);
    }
    // Read after the heads: if a head is newer than the snapshot, `newest` then exceeds the
    // snapshot's version.
    if (newest[first / kGroup].load(std::memory_order_relaxed) <= node.version) {
      // Every head is visible to the snapshot and so pinned by it. Neither a guard nor a check of
      // the objects is needed.
      std::uint32_t i = first;
      if (out.size() - n >= kGroup) {
        for (; i < end; ++i) {
          out[n] = BlockOf(links[i - first]);
          n += IsBlock(links[i - first]) ? 1 : 0;
        }
      }
      for (; i < end && n < out.size(); ++i) {
        if (IsBlock(links[i - first])) out[n++] = BlockOf(links[i - first]);
      }
      position = i;
      continue;
    }
    ReadGuard guard;
    std::uint32_t i = first;
    for (; i < end && n < out.size(); ++i) {
      const Block* block = VisibleAt(head[i - first].load(std::memory_order_acquire), node.version);
      if (block != nullptr) out[n++] = block;
    }
    position = i;
  }
  return n;
}

const StoreIndex* StoreState::FindIndex(const VersionNode& node, std::string_view name) {
  for (const auto& index : *node.content.indexes) {
    if (index->name() == name) return index.get();
  }
  return nullptr;
}

const Block* PinnedSnapshot::Get(std::string_view namespace_, std::string_view name) const {
  ReadGuard guard;
  return state_->Get(namespace_, name, node_->version);
}

const Block* PinnedSnapshot::Next(Cursor& cursor) const {
  const Block* block = nullptr;
  static_cast<void>(NextBatch(cursor, {&block, 1}));
  return block;
}

std::size_t PinnedSnapshot::NextBatch(Cursor& cursor, std::span<const Block*> out) const {
  return state_->Walk(*node_, cursor.position, out);
}

const Block* PinnedSnapshot::Unpack(const Block& packed) const {
  {
    base::MutexLock lock(mutex_);
    if (const auto at = unpacked_.find(&packed); at != unpacked_.end()) return at->second.get();
  }
  // Unpacks outside the lock, so that readers do not block each other. Keeps one of two copies.
  ObjectRef whole = Unpacked(ObjectRef::Share(&packed));
  base::MutexLock lock(mutex_);
  return unpacked_.try_emplace(&packed, std::move(whole)).first->second.get();
}

Result<const StoreIndex*> PinnedSnapshot::IndexNamed(std::string_view name) const {
  if (const StoreIndex* index = StoreState::FindIndex(*node_, name)) return index;
  std::string message = "there is no index \"" + std::string(name) + "\"; there are:";
  for (const auto& index : *node_->content.indexes) message += " \"" + index->name() + "\"";
  if (node_->content.indexes->empty()) message += " none";
  Error error(Reason::kNotFound, message + ". AddIndexers adds one");
  state_->missing_indexes.AskedFor(name, error);
  return error;
}

Result<std::vector<const Block*>> PinnedSnapshot::ByIndex(std::string_view index,
                                                          std::string_view value) const {
  auto found = IndexNamed(index);
  if (!found) return std::move(found).error();
  std::vector<const Block*> objects;
  ReadGuard guard;
  if (const Posting* posting = (*found)->Find(value)) {
    state_->ForEachWith(**found, *posting, node_->version, [&](const Block* block) {
      objects.push_back(block);
      return true;
    });
  }
  return objects;
}

Result<std::vector<std::string>> PinnedSnapshot::IndexValues(std::string_view index) const {
  auto found = IndexNamed(index);
  if (!found) return std::move(found).error();
  std::vector<std::string> values;
  {
    ReadGuard guard;
    (*found)->ForEach([&](const Posting& posting) {
      state_->ForEachWith(**found, posting, node_->version, [&](const Block*) {
        values.push_back(posting.value);
        return false;
      });
    });
  }
  std::sort(values.begin(), values.end());
  return values;
}

namespace {

bool ComesBefore(const Block* a, const Block* b) {
  const int namespaces = a->namespace_().compare(b->namespace_());
  return namespaces != 0 ? namespaces < 0 : a->name() < b->name();
}

// Appends the objects of one value in order.
void AppendSorted(std::vector<const Block*>& same, const IndexBounds& bounds, std::size_t limit,
                  std::vector<const Block*>& objects) {
  const auto before = [&](const Block* a, const Block* b) {
    return bounds.descending ? ComesBefore(b, a) : ComesBefore(a, b);
  };
  const auto end =
      same.begin() + static_cast<std::ptrdiff_t>(std::min(same.size(), limit - objects.size()));
  std::partial_sort(same.begin(), end, same.end(), before);
  objects.insert(objects.end(), same.begin(), end);
}

// Position of a query over an ordered index.
class RangeWalk {
 public:
  RangeWalk(const PostingOrder& order, const IndexBounds& bounds)
      : order_(order), bounds_(bounds) {}

  // Enters the index at the start of the walk, or after the value where it left. Needs a guard.
  void Enter() {
    if (bounds_.descending) {
      node_ = order_.Below(left_at_ ? *left_at_ : bounds_.to);
    } else {
      node_ = left_at_ ? order_.Above(*left_at_) : order_.AtOrAbove(bounds_.from);
    }
  }
  // Returns null at the end.
  [[nodiscard]] const Posting* posting() const {
    if (node_ == nullptr) return nullptr;
    const Posting& posting = PostingOrder::PostingOf(*node_);
    const bool within = bounds_.descending ? posting.value >= bounds_.from
                                           : !bounds_.to || posting.value < *bounds_.to;
    return within ? &posting : nullptr;
  }
  // REQUIRES: not at the end. Applies to Leave, too.
  void Step() {
    node_ = bounds_.descending ? order_.Below(posting()->value) : PostingOrder::Next(*node_);
  }
  // Remembers the current value as visited. Call it before the guard ends.
  void Leave() { left_at_ = posting()->value; }

 private:
  const PostingOrder& order_;
  const IndexBounds& bounds_;
  const PostingOrder::Node* node_ = nullptr;
  std::optional<std::string> left_at_;
};

}  // namespace

Result<std::vector<const Block*>> PinnedSnapshot::ByIndexRange(std::string_view index,
                                                               const IndexBounds& bounds) const {
  auto found = IndexNamed(index);
  if (!found) return std::move(found).error();
  if ((*found)->order() == nullptr) {
    return Error(Reason::kInvalidArgument,
                 "the index \"" + std::string(index) +
                     "\" is not ordered, so it has no ranges; make its function an "
                     "OrderedIndexFunc, or ask for one value with ByIndex");
  }
  // A guard delays the freeing of memory, so a long walk uses several.
  constexpr std::size_t kEntriesPerGuard = 256;
  const std::size_t limit = bounds.limit == 0 ? SIZE_MAX : bounds.limit;
  RangeWalk walk(*(*found)->order(), bounds);
  std::vector<const Block*> objects;
  std::vector<const Block*> same;
  for (;;) {
    ReadGuard guard;
    walk.Enter();
    for (std::size_t looked_at = 0;; walk.Step()) {
      const Posting* const posting = walk.posting();
      if (posting == nullptr || objects.size() == limit) return objects;
      same.clear();
      state_->ForEachWith(**found, *posting, node_->version, [&](const Block* block) {
        same.push_back(block);
        return true;
      });
      AppendSorted(same, bounds, limit, objects);
      looked_at += 1 + same.size();
      if (looked_at < kEntriesPerGuard) continue;
      walk.Leave();
      break;
    }
  }
}

}  // namespace kinformer::internal::cache
