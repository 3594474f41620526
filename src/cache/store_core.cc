#include "cache/store_core.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "kinformer/internal/block_builder.h"
#include "kinformer/log.h"

#include "cache/store_writer.h"

namespace kinformer::internal {

StoreCore::StoreCore(Env& env, StoreCoreOptions options)
    : writer_(std::make_shared<StoreWriter>(env, std::move(options))) {
  if (!writer_->options.namespace_index) return;
  writer_->indexes = std::make_shared<const IndexList>(IndexList{
      std::make_shared<StoreIndex>("namespace", IndexFunction(), true, writer_->state->limbo)});
  writer_->dirty = true;
  writer_->CommitNow();
}

StoreCore::~StoreCore() = default;

void StoreCore::Begin() {
  assert(!writer_->open);
  writer_->open = true;
}

void StoreCore::Commit() {
  assert(writer_->open);
  writer_->open = false;
  writer_->CommitNow();
}

ObjectRef StoreCore::Put(ObjectRef object, bool* same) {
  StoreWriter& w = *writer_;
  StoreState& state = *w.state;
  const std::uint64_t version = w.NextVersion();
  const std::uint32_t hash = w.HashOf(object->namespace_(), object->name());
  const std::uint32_t entry = w.FindEntry(hash, object->namespace_(), object->name());
  const Link head =
      entry == KeyTable::kNone ? 0 : state.heads[entry].load(std::memory_order_relaxed);
  if (same != nullptr) {
    *same = IsBlock(head) && BlockOf(head)->SameAs(*object);
    if (*same) return {};
  }
  if (head != 0 && head == LinkTo(object.get())) return object;
  if (w.trainer != nullptr) {
    if (!object->packed() && w.trainer->size() < DictionaryTrainer::kFewestSamples) {
      w.trainer->Add(*object);
    }
    if (w.trainer->size() >= DictionaryTrainer::kFewestSamples) w.Train();
  }
  // What the index functions read.
  const ObjectRef whole = w.HasIndexFunctions() ? Unpacked(object) : object;
  if (w.dictionary) object = w.dictionary->Pack(object);
  if (!object->TryClaim()) {
    object = CloneBlock(*object);
    static_cast<void>(object->TryClaim());
  }
  const Block* block = object.Detach();  // the store's count
  block->store_link().version.store(version, std::memory_order_relaxed);
  const std::size_t bytes = block->allocated_bytes();

  if (entry == KeyTable::kNone) {
    block->store_link().previous.store(nullptr, std::memory_order_relaxed);
    const std::uint32_t added = w.NewEntry(hash);
    w.IndexFirst(added, *whole);
    w.SetHead(added, LinkTo(block));
    state.table.load(std::memory_order_relaxed)->Insert(w.hashes[added], added);
    ++w.keys;
    ++w.objects;
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
    ++w.objects;
    state.object_bytes.fetch_add(bytes, std::memory_order_relaxed);
  }
  const bool never_seen = VersionOf(head) == version;  // written and overwritten in one commit
  SetPrevious(LinkTo(block), never_seen ? PreviousOf(head) : head);
  w.IndexNext(entry, *whole);
  w.SetHead(entry, LinkTo(block));
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
  const StoreState& state = *writer_->state;
  const KeyTable& table = *state.table.load(std::memory_order_relaxed);
  std::array<std::uint32_t, kMostExpected> hashes{};
  std::array<const Block*, kMostExpected> known{};
  assert(objects.size() <= kMostExpected);
  for (const Block* block : objects) __builtin_prefetch(block, 1);
  for (const Block* block : objects) __builtin_prefetch(block->name().data());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    hashes[i] = writer_->HashOf(objects[i]->namespace_(), objects[i]->name());
    table.Prefetch(hashes[i]);
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    // Whether it is the key is found out later: mostly it is.
    const std::uint32_t entry = table.Find(hashes[i], [](std::uint32_t) { return true; });
    if (entry == KeyTable::kNone) continue;
    const Link head = state.heads[entry].load(std::memory_order_relaxed);
    if (!IsBlock(head)) continue;
    known[count++] = BlockOf(head);
    __builtin_prefetch(BlockOf(head), 1);
    // malloc's word, in front of it.
    __builtin_prefetch(reinterpret_cast<const char*>(BlockOf(head)) - sizeof(std::size_t));
  }
  for (std::size_t i = 0; i < count; ++i) {
    __builtin_prefetch(known[i]->name().data());
    __builtin_prefetch(known[i]->uid().data());
  }
}

void StoreCore::Reserve(std::size_t objects) {
  std::size_t buckets = writer_->state->table.load(std::memory_order_relaxed)->buckets();
  const std::size_t before = buckets;
  while (KeyTable::CapacityOf(buckets) < objects) buckets *= 2;
  if (buckets != before) writer_->GrowTable(buckets);
}

ObjectRef StoreCore::Pack(ObjectRef object) {
  StoreWriter& w = *writer_;
  if (w.trainer != nullptr) {
    w.trainer->Add(*object);
    if (w.trainer->size() >= DictionaryTrainer::kSamples) w.Train();
  }
  return w.dictionary ? w.dictionary->Pack(object) : std::move(object);
}

ObjectRef StoreCore::Erase(std::string_view namespace_, std::string_view name) {
  StoreWriter& w = *writer_;
  StoreState& state = *w.state;
  const std::uint32_t entry = w.FindEntry(namespace_, name);
  if (entry == KeyTable::kNone) return {};
  const Link head = state.heads[entry].load(std::memory_order_relaxed);
  if (!IsBlock(head)) return {};
  ObjectRef old = ObjectRef::Share(BlockOf(head));
  const std::uint64_t version = w.NextVersion();
  const std::size_t bytes = old->allocated_bytes();
  state.object_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  state.old_bytes.fetch_add(bytes, std::memory_order_relaxed);
  --w.objects;
  if (VersionOf(head) != version) {
    auto* tombstone = new Tombstone{version, {head}};
    w.SetHead(entry, LinkTo(tombstone));
    w.replaced.push_back({VersionOf(head), version, entry, nullptr});
    ++w.replaced_since_commit;
  } else {
    // Written and deleted in one commit: nobody will ever see it.
    const Link previous = PreviousOf(head);
    if (IsBlock(previous)) {
      w.SetHead(entry, LinkTo(new Tombstone{version, {previous}}));
    } else {
      w.SetHead(entry, previous);
      if (!HasBlock(previous)) w.Sweep(entry, old->namespace_());
    }
    w.RetireBlock(old.get());
  }
  w.Wrote();
  return old;
}

void StoreCore::SetResourceVersion(std::string_view resource_version) {
  writer_->dirty = writer_->dirty || writer_->resource_version != resource_version;
  writer_->resource_version = resource_version;
}

bool StoreCore::CollectSome(std::size_t max_blocks) { return writer_->Collect(max_blocks); }

const Block* StoreCore::Peek(std::string_view namespace_, std::string_view name) const {
  if (writer_->keys == 0)
    return nullptr;  // without a hash: a first list asks for each of its objects
  const std::uint32_t entry = writer_->FindEntry(namespace_, name);
  if (entry == KeyTable::kNone) return nullptr;
  const Link head = writer_->state->heads[entry].load(std::memory_order_relaxed);
  return IsBlock(head) ? BlockOf(head) : nullptr;
}

Result<void> StoreCore::AddIndex(std::string name, IndexFunction function) {
  StoreWriter& w = *writer_;
  for (const auto& index : *w.indexes) {
    if (index->name() == name) {
      return Error(Reason::kAlreadyExists, "an index \"" + name + "\" exists already");
    }
  }
  auto index =
      std::make_shared<StoreIndex>(std::move(name), std::move(function), false, w.state->limbo);
  for (std::uint32_t entry = 0; entry < w.state->entries_end; ++entry) {
    Link link = w.state->heads[entry].load(std::memory_order_relaxed);
    if (link == 0) continue;
    // A deleted key that is not swept yet has no value in the new index, which no version with the object knows.
    if (IsBlock(link)) {
      const ObjectRef whole = Unpacked(ObjectRef::Share(BlockOf(link)));
      index->SetFirst(entry, w.ValuesOf(*index, *whole));
    } else {
      index->SetFirst(entry, {});
    }
  }
  auto list = std::make_shared<IndexList>(*w.indexes);
  list->push_back(std::move(index));
  w.indexes = std::move(list);
  w.Wrote();
  return {};
}

Result<void> StoreCore::RemoveIndex(std::string_view name) {
  StoreWriter& w = *writer_;
  auto list = std::make_shared<IndexList>(*w.indexes);
  const auto at = std::find_if(list->begin(), list->end(),
                               [&](const auto& index) { return index->name() == name; });
  if (at == list->end()) {
    return Error(Reason::kNotFound, "there is no index \"" + std::string(name) + "\"");
  }
  const StoreIndex* gone = at->get();
  std::erase_if(w.replaced, [&](const Replaced& r) { return r.index == gone; });
  w.state->versions.DropIndex(gone);
  list->erase(at);
  w.indexes = std::move(list);
  w.Wrote();
  return {};
}

ObjectRef StoreCore::Get(std::string_view namespace_, std::string_view name) const {
  ObjectRef found;
  {
    EpochGuard guard;
    const StoreState& state = *writer_->state;
    found = ObjectRef::Share(state.Get(namespace_, name, state.versions.Current().version));
  }
  return found && found->packed() ? Unpacked(found) : found;
}

std::shared_ptr<const SnapshotCore> StoreCore::Snapshot() const {
  EpochGuard guard;
  return std::make_shared<PinnedSnapshot>(writer_->state, writer_->state->versions.Pin());
}

std::string StoreCore::ResourceVersion() const {
  EpochGuard guard;
  return writer_->state->versions.Current().resource_version;
}

std::size_t StoreCore::size() const {
  EpochGuard guard;
  return writer_->state->versions.Current().size;
}

StoreStats StoreCore::Stats() const {
  const StoreState& s = *writer_->state;
  return {.objects = size(),
          .object_bytes = s.object_bytes.load(std::memory_order_relaxed),
          .pinned_bytes = s.old_bytes.load(std::memory_order_relaxed),
          .table_bytes = s.table_bytes.load(std::memory_order_relaxed) +
                         s.index_bytes.load(std::memory_order_relaxed),
          .snapshots = s.snapshots.load(std::memory_order_relaxed)};
}

bool StoreCore::HasIndex(std::string_view name) const {
  EpochGuard guard;
  return StoreState::FindIndex(writer_->state->versions.Current(), name) != nullptr;
}

Result<std::vector<std::string>> StoreCore::ValuesOf(std::string_view index,
                                                     const Block& object) const {
  IndexFunction function;
  bool by_namespace = false;
  {
    EpochGuard guard;
    const StoreIndex* found = StoreState::FindIndex(writer_->state->versions.Current(), index);
    if (found == nullptr) {
      return Error(Reason::kNotFound, "there is no index \"" + std::string(index) + "\"");
    }
    function = found->function();
    by_namespace = found->by_namespace();
  }
  if (by_namespace) return std::vector<std::string>{std::string(object.namespace_())};
  ValueCollector values;
  try {
    function(object, values);
  } catch (const std::exception& e) {
    return Error(Reason::kInternalError,
                 "the function of index \"" + std::string(index) + "\" threw: " + e.what());
  } catch (...) {
    return Error(Reason::kInternalError,
                 "the function of index \"" + std::string(index) + "\" threw");
  }
  const SortedValues& sorted = values.Sorted();
  return std::vector<std::string>(sorted.begin(), sorted.end());
}

std::vector<std::string> StoreCore::IndexNames() const {
  EpochGuard guard;
  std::vector<std::string> names;
  for (const auto& index : *writer_->state->versions.Current().indexes) {
    names.push_back(index->name());
  }
  return names;
}

}  // namespace kinformer::internal
