#include "cache/store/store_core.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/internal/block.h"

#include "cache/store/resource_version.h"
#include "cache/store/store_writer.h"

namespace kinformer::internal::cache {

StoreCore::StoreCore(Env& env, StoreCoreOptions options)
    : writer_(std::make_unique<StoreWriter>(env, std::move(options))), state_(writer_->state) {
  StoreWriter& w = *writer_;
  if (w.options.namespace_index) {
    w.next.indexes = std::make_shared<const IndexList>(IndexList{
        std::make_shared<StoreIndex>("namespace", IndexFunction(), true, state_->retired)});
  }
  w.Wrote();
}

StoreCore::~StoreCore() { state_->missing_indexes.Close(); }

void StoreCore::Begin() {
  assert(!writer_->open);
  writer_->open = true;
}

void StoreCore::Commit() {
  assert(writer_->open);
  writer_->open = false;
  writer_->CommitNow();
}

StoreSpot StoreCore::Find(std::string_view namespace_, std::string_view name) const {
  const StoreWriter& w = *writer_;
  StoreSpot spot{.hash = w.HashOf(namespace_, name)};
  spot.slot = w.FindSlot(spot.hash, namespace_, name);
  const Link head = spot.slot == KeyTable::kNoSlot ? 0 : w.table().LinkAt(spot.slot);
  if (IsBlock(head)) spot.object = BlockOf(head);
  return spot;
}

ObjectRef StoreCore::Put(ObjectRef object, bool* same) {
  const StoreSpot spot = Find(object->namespace_(), object->name());
  return Put(std::move(object), spot, same);
}

ObjectRef StoreCore::Put(ObjectRef object, const StoreSpot& spot, bool* same) {
  StoreWriter& w = *writer_;
  StoreState& state = *w.state;
  const std::uint64_t version = w.NextVersion();
  const std::uint32_t hash = spot.hash;
  const std::size_t slot = spot.slot;
  assert(slot == w.FindSlot(hash, object->namespace_(), object->name()));
  const Link head = slot == KeyTable::kNoSlot ? 0 : w.table().LinkAt(slot);
  if (same != nullptr) {
    *same = IsBlock(head) && BlockOf(head)->SameAs(*object);
    if (*same) return {};
  }
  if (head == LinkTo(object.get())) return object;
  w.WillWrite();
  if (w.trainer != nullptr) {
    if (!object->packed() && w.trainer->size() < DictionaryTrainer::kFewestSamples) {
      w.trainer->Add(*object);
    }
    if (w.trainer->size() >= DictionaryTrainer::kFewestSamples) w.Train();
  }
  // Index functions read unpacked objects.
  const ObjectRef whole = w.HasIndexFunctions() ? Unpacked(object) : object;
  if (!state.packs && object->packed()) object = Unpacked(object);
  if (w.dictionary) object = w.dictionary->Pack(object);
  if (!object->TryClaim()) {
    object = CloneBlock(*object);
    static_cast<void>(object->TryClaim());
  }
  const Block* block = object.Detach();  // the store's count
  block->store_link().version.store(version, std::memory_order_relaxed);
  const std::size_t bytes = block->allocated_bytes();
  w.LogChange(IsBlock(head) ? EventType::kUpdated : EventType::kAdded, *block);

  if (slot == KeyTable::kNoSlot) {
    block->store_link().previous.store(nullptr, std::memory_order_relaxed);
    const std::uint32_t added = w.NewEntry(hash);
    w.IndexFirst(added, *whole);
    w.AddHead(added, LinkTo(block));
    ++w.next.size;
    state.object_bytes.fetch_add(bytes, std::memory_order_relaxed);
    w.Wrote();
    return {};
  }

  ObjectRef old;
  if (IsBlock(head)) {
    old = ObjectRef::Share(BlockOf(head));
    const std::size_t old_bytes = old->allocated_bytes();
    state.object_bytes.fetch_add(bytes - old_bytes, std::memory_order_relaxed);
    state.old_bytes.fetch_add(old_bytes, std::memory_order_relaxed);
  } else {
    ++w.next.size;
    state.object_bytes.fetch_add(bytes, std::memory_order_relaxed);
  }
  const std::uint32_t entry = w.table().EntryAt(slot);
  const bool never_seen = VersionOf(head) == version;  // written and overwritten in one commit
  SetPrevious(LinkTo(block), never_seen ? PreviousOf(head) : head);
  w.IndexNext(entry, *whole);
  w.SetHead(slot, LinkTo(block));
  if (!never_seen) {
    w.replaced.push_back({VersionOf(head), version, entry, nullptr});
    ++w.replaced_since_commit;
  } else if (IsBlock(head)) {
    w.RetireBlock(BlockOf(head));
  } else {
    w.RetireTombstone(TombstoneOf(head));
  }
  w.Wrote();
  return old;
}

void StoreCore::Expect(std::span<const Block* const> objects) const {
  const KeyTable& table = writer_->table();
  std::array<std::uint32_t, kMostExpected> hashes{};
  std::array<const Block*, kMostExpected> known{};
  std::array<std::size_t, kMostExpected> slots{};
  assert(objects.size() <= kMostExpected);
  for (const Block* block : objects) __builtin_prefetch(block, 1);
  for (const Block* block : objects) __builtin_prefetch(block->name().data());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    hashes[i] = writer_->HashOf(objects[i]->namespace_(), objects[i]->name());
    table.Prefetch(hashes[i]);
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    // Does not compare the key: it nearly always matches.
    const std::size_t slot = table.Find(hashes[i], [](Link) { return true; });
    if (slot == KeyTable::kNoSlot) continue;
    const Link head = table.LinkAt(slot);
    if (!IsBlock(head)) continue;
    slots[count] = slot;
    known[count++] = BlockOf(head);
    table.PrefetchEntry(slot);
    __builtin_prefetch(BlockOf(head), 1);
    // Also prefetches malloc's header in front of the block.
    __builtin_prefetch(reinterpret_cast<const char*>(BlockOf(head)) - sizeof(std::size_t));
  }
  for (std::size_t i = 0; i < count; ++i) {
    __builtin_prefetch(known[i]->name().data());
    __builtin_prefetch(known[i]->uid().data());
    // Put writes to both.
    const std::uint32_t entry = table.EntryAt(slots[i]);
    __builtin_prefetch(&state_->heads[entry], 1);
    __builtin_prefetch(&state_->newest[entry / StoreState::kGroup], 1);
  }
}

void StoreCore::Reserve(std::size_t objects) {
  std::size_t buckets = writer_->table().buckets();
  const std::size_t before = buckets;
  while (KeyTable::CapacityOf(buckets) < objects) buckets *= 2;
  if (buckets != before) writer_->GrowTable(buckets);
}

std::size_t StoreCore::written_objects() const { return writer_->next.size; }

std::size_t StoreCore::object_bytes() const {
  return state_->object_bytes.load(std::memory_order_relaxed);
}

std::size_t StoreCore::old_bytes() const {
  return state_->old_bytes.load(std::memory_order_relaxed);
}

bool StoreCore::is_open() const { return writer_->open; }

ObjectRef StoreCore::Pack(ObjectRef object) {
  StoreWriter& w = *writer_;
  if (w.trainer != nullptr) {
    w.trainer->Add(*object);
    if (w.trainer->size() >= DictionaryTrainer::kSamples) w.Train();
  }
  return Packed(std::move(object));
}

ObjectRef StoreCore::Packed(ObjectRef object) const {
  const DictionaryRef& dictionary = writer_->dictionary;
  return dictionary ? dictionary->Pack(object) : std::move(object);
}

ObjectRef StoreCore::Erase(std::string_view namespace_, std::string_view name) {
  StoreWriter& w = *writer_;
  StoreState& state = *w.state;
  const std::size_t slot = w.FindSlot(namespace_, name);
  if (slot == KeyTable::kNoSlot) return {};
  const std::uint32_t entry = w.table().EntryAt(slot);
  const Link head = w.table().LinkAt(slot);
  if (!IsBlock(head)) return {};
  ObjectRef old = ObjectRef::Share(BlockOf(head));
  w.WillWrite();
  w.LogChange(EventType::kDeleted, *old);
  const std::uint64_t version = w.NextVersion();
  const std::size_t bytes = old->allocated_bytes();
  state.object_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  state.old_bytes.fetch_add(bytes, std::memory_order_relaxed);
  --w.next.size;
  if (VersionOf(head) != version) {
    auto* tombstone = new Tombstone{version, {head}};
    w.SetHead(slot, LinkTo(tombstone));
    w.replaced.push_back({VersionOf(head), version, entry, nullptr});
    ++w.replaced_since_commit;
  } else {
    // Written and deleted in one commit: no reader will ever see it.
    const Link previous = PreviousOf(head);
    if (IsBlock(previous)) {
      w.SetHead(slot, LinkTo(new Tombstone{version, {previous}}));
    } else {
      w.SetHead(slot, previous);
      if (!HasBlock(previous)) w.Sweep(entry, old->namespace_());
    }
    w.RetireBlock(old.get());
  }
  w.Wrote();
  return old;
}

void StoreCore::SetResourceVersion(std::string_view resource_version) {
  VersionContent& next = writer_->next;
  writer_->WillWrite();
  writer_->dirty = writer_->dirty || next.resource_version != resource_version;
  next.resource_version = resource_version;
}

void StoreCore::AdvanceResourceVersion(std::string_view resource_version) {
  const bool follows = MayFollow(resource_version, writer_->next.resource_version);
  if (!follows) return;
  SetResourceVersion(resource_version);
}

void StoreCore::SetEpoch(std::uint64_t epoch) {
  writer_->WillWrite();
  writer_->dirty = writer_->dirty || writer_->next.epoch != epoch;
  writer_->next.epoch = epoch;
}

void StoreCore::SetCoverage(std::shared_ptr<const Coverage> coverage) {
  writer_->WillWrite();
  writer_->dirty = true;
  writer_->next.coverage = std::move(coverage);
}

const Coverage* StoreCore::coverage() const { return writer_->next.coverage.get(); }

bool StoreCore::CollectSome(std::size_t max_blocks) { return writer_->Collect(max_blocks); }

StoreEntry StoreCore::Peek(std::string_view namespace_, std::string_view name) const {
  // Avoids hashing while the store is empty: a first list calls this for each of its objects.
  if (writer_->keys == 0) return {};
  const std::size_t slot = writer_->FindSlot(namespace_, name);
  return slot == KeyTable::kNoSlot ? StoreEntry() : PeekAt(writer_->table().EntryAt(slot));
}

StoreEntry StoreCore::PeekAt(std::uint32_t entry) const {
  const Link head = state_->heads[entry].load(std::memory_order_relaxed);
  if (!IsBlock(head)) return {.number = entry};
  return {.number = entry,
          .object = BlockOf(head),
          .committed = VersionOf(head) < writer_->NextVersion()};
}

std::uint32_t StoreCore::entries_end() const { return state_->entries_end; }

// ---- readers

namespace {

ObjectRef Whole(ObjectRef object) {
  return object && object->packed() ? Unpacked(object) : std::move(object);
}

}  // namespace

ObjectRef StoreCore::Get(std::string_view namespace_, std::string_view name) const {
  ObjectRef found;
  {
    ReadGuard guard;
    const std::uint64_t version = state_->versions.Current().version;
    found = ObjectRef::Share(state_->Get(namespace_, name, version));
  }
  return Whole(std::move(found));
}

StoreAnswer StoreCore::Ask(std::string_view namespace_, std::string_view name) const {
  StoreAnswer answer;
  {
    ReadGuard guard;
    const VersionNode& node = state_->versions.Current();
    const std::shared_ptr<const Coverage>& coverage = node.content.coverage;
    if (coverage == nullptr || !coverage->IsUnreadable(namespace_, name)) {
      answer.object = ObjectRef::Share(state_->Get(namespace_, name, node.version));
    }
    if (!answer.object) answer.coverage = coverage;
  }
  answer.object = Whole(std::move(answer.object));
  return answer;
}

std::shared_ptr<const SnapshotCore> StoreCore::Snapshot() const {
  ReadGuard guard;
  return std::make_shared<PinnedSnapshot>(state_, state_->versions.Pin());
}

void StoreCore::SetSnapshotAgeLimit(Duration limit) const {
  state_->snapshot_age_limit.store(limit, std::memory_order_relaxed);
}

std::string StoreCore::ResourceVersion() const {
  ReadGuard guard;
  return state_->versions.Current().content.resource_version;
}

StorePosition StoreCore::Position() const {
  ReadGuard guard;
  const VersionContent& content = state_->versions.Current().content;
  return {content.epoch, content.resource_version};
}

std::size_t StoreCore::size() const {
  ReadGuard guard;
  return state_->versions.Current().content.size;
}

StoreStats StoreCore::Stats() const {
  const StoreState& s = *state_;
  StoreStats stats;
  {
    ReadGuard guard;
    const VersionContent& content = s.versions.Current().content;
    stats.objects = content.size;
    const Coverage* coverage = content.coverage.get();
    if (coverage != nullptr && coverage->unreadable != nullptr) {
      stats.unreadable = coverage->unreadable->size();
    }
    if (coverage != nullptr && coverage->left_out != nullptr) {
      stats.left_out = coverage->left_out->size();
    }
  }
  stats.object_bytes = s.object_bytes.load(std::memory_order_relaxed);
  stats.pinned_bytes = s.old_bytes.load(std::memory_order_relaxed);
  stats.table_bytes =
      s.table_bytes.load(std::memory_order_relaxed) + s.index_bytes.load(std::memory_order_relaxed);
  stats.snapshots = s.snapshots.load(std::memory_order_relaxed);
  const SteadyTime since = s.pinned_since.load(std::memory_order_relaxed);
  if (stats.snapshots != 0 && since != SteadyTime::max()) {
    stats.oldest_snapshot = writer_->env.Now() - since;
  }
  return stats;
}

}  // namespace kinformer::internal::cache
