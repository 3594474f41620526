#include "cache/store_core.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <exception>
#include <utility>

#include "kinformer/internal/block_builder.h"
#include "kinformer/log.h"

#include "cache/epoch.h"
#include "cache/store_state.h"
#include "cache/value_collector.h"
#include "object/packing.h"

namespace kinformer::internal {

namespace {

// What a commit does about old versions besides its own work, at least; more where it replaced more.
constexpr std::size_t kCollectPerCommit = 32;
constexpr std::size_t kMaxCollectForWork = 8192;
// Looking at all reader threads costs about 20 ns for each: not on every small commit.
constexpr std::size_t kCommitsPerScan = 8;
constexpr Duration kSlowIndexFunction = std::chrono::milliseconds(5);

std::string KeyOf(const Block& block) {
  return ObjectName{std::string(block.namespace_()), std::string(block.name())}.ToString();
}

}  // namespace

// The writer. Everything here is the writer's thread's, except what it reaches in `state`.
struct StoreCore::Impl {
  Impl(Env& e, StoreCoreOptions o)
      : env(e), options(std::move(o)), state(std::make_shared<StoreState>(e.Random())) {
    if (options.compress) trainer = std::make_unique<DictionaryTrainer>();
  }

  // ---- versions
  // The version that the writes of now will have.
  [[nodiscard]] std::uint64_t NextVersion() const { return state->versions.Current().version + 1; }
  void Wrote() {
    dirty = true;
    if (!open) CommitNow();
  }
  void CommitNow();

  // ---- entries
  [[nodiscard]] std::uint32_t HashOf(std::string_view namespace_, std::string_view name) const {
    return HashKey(state->hash_seed, namespace_, name);
  }
  [[nodiscard]] std::uint32_t FindEntry(std::string_view namespace_, std::string_view name) const {
    return FindEntry(HashOf(namespace_, name), namespace_, name);
  }
  [[nodiscard]] std::uint32_t FindEntry(std::uint32_t hash, std::string_view namespace_,
                                        std::string_view name) const;
  std::uint32_t NewEntry(std::uint32_t hash);
  void SetHead(std::uint32_t entry, Link link) {
    state->newest[entry / StoreState::kGroup].store(NextVersion(), std::memory_order_relaxed);
    state->heads[entry].store(link, std::memory_order_release);
  }
  void GrowTable(std::size_t buckets);
  // The key has no object left at any version, at most deletions.
  void Sweep(std::uint32_t entry, std::string_view namespace_);

  // ---- old versions
  void RetireBlock(const Block* block);
  void RetireTombstone(Tombstone* tombstone) { state->limbo.RetireDelete(tombstone); }
  // Removes the version that became current at `from` from the entry's chain, unless a snapshot sees it.
  void Forget(const Replaced& old);
  void ForgetObject(const Replaced& old);
  bool Collect(std::size_t budget);

  // ---- indexes
  const SortedValues& ValuesOf(const StoreIndex& index, const Block& block);
  // Whether a block must be whole for the indexes.
  [[nodiscard]] bool HasIndexFunctions() const;
  void Train();
  void IndexFirst(std::uint32_t entry, const Block& block);
  void IndexNext(std::uint32_t entry, const Block& block);

  Env& env;
  const StoreCoreOptions options;
  const std::shared_ptr<StoreState> state;

  bool open = false;   // between Begin and Commit
  bool dirty = false;  // something for the next commit
  std::size_t objects = 0;
  std::size_t keys = 0;  // entries in the table: objects and deleted keys not yet swept
  std::string resource_version;
  std::shared_ptr<const IndexList> indexes = std::make_shared<const IndexList>();
  // By entry: the hash of its key. Zero where the entry is free.
  SegmentedArray<std::uint32_t, 16> hashes;
  std::vector<std::uint32_t> free_entries;
  std::deque<Replaced> replaced;  // by `until`
  std::size_t replaced_since_commit = 0;
  std::size_t commits_since_scan = 0;
  std::uint64_t safe_epoch = 0;
  ValueCollector values;
  // Null where blocks are not packed.
  std::unique_ptr<DictionaryTrainer> trainer;  // until there is a dictionary
  DictionaryRef dictionary;
};

// ---- versions

void StoreCore::Impl::CommitNow() {
  if (!dirty) return;
  dirty = false;
  state->versions.Publish(objects, state->entries_end, resource_version, indexes);
  const std::size_t work = replaced_since_commit;
  replaced_since_commit = 0;
  const bool many = replaced.size() + state->limbo.size() > 4 * kCollectPerCommit;
  if (++commits_since_scan >= kCommitsPerScan || (many && work > kCollectPerCommit)) {
    // As much as was replaced, so that it keeps up, but no more than takes about a millisecond.
    Collect(kCollectPerCommit * kCommitsPerScan + std::min(2 * work, kMaxCollectForWork) +
            (replaced.size() + state->limbo.size()) / 64);
  }
}

bool StoreCore::Impl::Collect(std::size_t budget) {
  commits_since_scan = 0;
  Versions& versions = state->versions;
  Limbo& limbo = state->limbo;
  if (replaced.empty() && limbo.empty() && !versions.HasUnsettled() && !versions.HasUnheld() &&
      !versions.SawUnpin()) {
    return false;
  }
  const std::size_t start = budget;
  limbo.Stamp();
  const std::uint64_t safe = SafeEpoch();
  versions.Settle(safe);
  const std::uint64_t settled = versions.SettledBelow();
  for (; budget > 0 && !replaced.empty() && replaced.front().until <= settled; --budget) {
    const Replaced old = replaced.front();
    replaced.pop_front();
    Forget(old);
  }
  Replaced old;
  for (; budget > 0 && versions.NextUnheld(old); --budget) Forget(old);
  limbo.FreeBefore(safe, start);
  state->index_bytes.store(
      [this] {
        std::size_t bytes = 0;
        for (const auto& index : *indexes) bytes += index->bytes();
        return bytes;
      }(),
      std::memory_order_relaxed);
  return versions.HasUnheld() || (!replaced.empty() && replaced.front().until <= settled) ||
         !limbo.empty();
}

void StoreCore::Impl::Forget(const Replaced& old) {
  if (old.index == nullptr) {
    ForgetObject(old);
  } else if (VersionNode* node = old.index->Forget(old.entry, old.from, state->versions)) {
    node->held.push_back(old);
  }
}

void StoreCore::Impl::ForgetObject(const Replaced& old) {
  const Link head = state->heads[old.entry].load(std::memory_order_relaxed);
  std::string_view namespace_;
  Link newer = 0;
  Link link = head;
  while (link != 0 && VersionOf(link) != old.from) {
    newer = link;
    link = PreviousOf(link);
  }
  if (link == 0) return;
  if (newer != 0) {
    // What was between has gone because nobody could read it, so the range may be taken up to the next version that is left.
    const std::uint64_t until = VersionOf(newer);
    if (VersionNode* node = state->versions.PinnedIn(old.from, until)) {
      node->held.push_back(old);
      return;
    }
    if (state->versions.MayBeRead(old.from, until)) return;  // replaced again: has another record
    SetPrevious(newer, PreviousOf(link));
    if (IsBlock(link)) {
      namespace_ = BlockOf(link)->namespace_();  // in limbo, so still there
      RetireBlock(BlockOf(link));
    } else {
      RetireTombstone(TombstoneOf(link));
    }
  }
  // Only deletions are left, and nobody can see what was before them.
  if (IsBlock(link) && newer != 0 && !HasBlock(head)) Sweep(old.entry, namespace_);
}

void StoreCore::Impl::RetireBlock(const Block* block) {
  state->limbo.Retire(
      const_cast<Block*>(block),
      [](void* context, void* item) {
        const auto* b = static_cast<const Block*>(item);
        static_cast<StoreState*>(context)->old_bytes.fetch_sub(b->allocated_bytes(),
                                                               std::memory_order_relaxed);
        b->store_link().previous.store(nullptr, std::memory_order_relaxed);
        b->Unclaim();
        b->Release();
      },
      state.get());
}

// ---- entries

std::uint32_t StoreCore::Impl::FindEntry(std::uint32_t hash, std::string_view namespace_,
                                         std::string_view name) const {
  const KeyTable* table = state->table.load(std::memory_order_relaxed);
  return table->Find(hash, [&](std::uint32_t entry) {
    Link link = state->heads[entry].load(std::memory_order_relaxed);
    while (IsTombstone(link)) link = PreviousOf(link);
    return link != 0 && BlockOf(link)->name() == name && BlockOf(link)->namespace_() == namespace_;
  });
}

std::uint32_t StoreCore::Impl::NewEntry(std::uint32_t hash) {
  if (const KeyTable* table = state->table.load(std::memory_order_relaxed);
      keys + 1 > table->capacity()) {
    GrowTable(table->buckets() * 2);
  }
  std::uint32_t entry = 0;
  if (free_entries.empty()) {
    entry = state->entries_end++;
    state->table_bytes.fetch_add(state->heads.Grow(entry) +
                                     state->newest.Grow(entry / StoreState::kGroup) +
                                     hashes.Grow(entry),
                                 std::memory_order_relaxed);
  } else {
    entry = free_entries.back();
    free_entries.pop_back();
  }
  hashes[entry] = hash;
  return entry;
}

void StoreCore::Impl::GrowTable(std::size_t buckets) {
  KeyTable* old = state->table.load(std::memory_order_relaxed);
  auto* larger = new KeyTable(buckets);
  for (std::uint32_t entry = 0; entry < state->entries_end; ++entry) {
    if (state->heads[entry].load(std::memory_order_relaxed) != 0) {
      larger->Insert(hashes[entry], entry);
    }
  }
  state->table_bytes.fetch_add(larger->bytes() - old->bytes(), std::memory_order_relaxed);
  state->table.store(larger, std::memory_order_release);
  state->limbo.RetireDelete(old);
}

void StoreCore::Impl::Sweep(std::uint32_t entry, std::string_view namespace_) {
  Link link = state->heads[entry].load(std::memory_order_relaxed);
  state->heads[entry].store(0, std::memory_order_release);
  while (link != 0) {
    const Link previous = PreviousOf(link);
    RetireTombstone(TombstoneOf(link));
    link = previous;
  }
  state->table.load(std::memory_order_relaxed)->Erase(hashes[entry], entry);
  for (const auto& index : *indexes) index->Clear(entry, namespace_);
  free_entries.push_back(entry);
  --keys;
}

// ---- indexes

const SortedValues& StoreCore::Impl::ValuesOf(const StoreIndex& index, const Block& block) {
  values.Clear();
  if (index.by_namespace()) {
    values.Add(block.namespace_());
    return values.Sorted();
  }
  const SteadyTime start = env.Now();
  const auto failed = [&](const char* what) {
    values.Clear();
    env.log().Log(
        LogLevel::kError, "index function threw; the object has no value in this index",
        {{"store", options.name}, {"index", index.name()}, {"key", KeyOf(block)}, {"err", what}});
  };
  try {
    index.function()(block, values);
  } catch (const std::exception& e) {
    failed(e.what());
  } catch (...) {
    failed("not a std::exception");
  }
  if (const Duration took = env.Now() - start; took > kSlowIndexFunction) {
    env.log().Log(
        LogLevel::kWarning, "index function is slow; it holds up every informer of this loop",
        {{"store", options.name},
         {"index", index.name()},
         {"key", KeyOf(block)},
         {"ms",
          std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count())}});
  }
  return values.Sorted();
}

bool StoreCore::Impl::HasIndexFunctions() const {
  return std::any_of(indexes->begin(), indexes->end(),
                     [](const auto& index) { return !index->by_namespace(); });
}

void StoreCore::Impl::Train() {
  const SteadyTime start = env.Now();
  const std::size_t samples = trainer->size();
  dictionary = trainer->Train();
  trainer.reset();
  if (!dictionary) {
    env.log().Log(LogLevel::kWarning,
                  "no dictionary could be trained; the objects are kept uncompressed",
                  {{"store", options.name}, {"samples", std::to_string(samples)}});
    return;
  }
  state->table_bytes.fetch_add(dictionary->bytes(), std::memory_order_relaxed);
  env.log().Log(LogLevel::kDebug, "dictionary trained",
                {{"store", options.name},
                 {"samples", std::to_string(samples)},
                 {"ms", std::to_string((env.Now() - start).count() / 1'000'000)}});
}

void StoreCore::Impl::IndexFirst(std::uint32_t entry, const Block& block) {
  for (const auto& index : *indexes) index->SetFirst(entry, ValuesOf(*index, block));
}

void StoreCore::Impl::IndexNext(std::uint32_t entry, const Block& block) {
  const std::uint64_t version = NextVersion();
  for (const auto& index : *indexes) {
    if (index->by_namespace()) continue;
    std::uint64_t from = 0;
    if (index->Set(entry, ValuesOf(*index, block), version, state->versions, &from)) {
      replaced.push_back({from, version, entry, index.get()});
      ++replaced_since_commit;
    }
  }
}

// ---- the public face

StoreCore::StoreCore(Env& env, StoreCoreOptions options)
    : impl_(std::make_shared<Impl>(env, std::move(options))) {
  if (!impl_->options.namespace_index) return;
  impl_->indexes = std::make_shared<const IndexList>(IndexList{
      std::make_shared<StoreIndex>("namespace", IndexFunction(), true, impl_->state->limbo)});
  impl_->dirty = true;
  impl_->CommitNow();
}

StoreCore::~StoreCore() = default;

void StoreCore::Begin() {
  assert(!impl_->open);
  impl_->open = true;
}

void StoreCore::Commit() {
  assert(impl_->open);
  impl_->open = false;
  impl_->CommitNow();
}

ObjectRef StoreCore::Put(ObjectRef object, bool* same) {
  Impl& w = *impl_;
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
  const StoreState& state = *impl_->state;
  const KeyTable& table = *state.table.load(std::memory_order_relaxed);
  std::array<std::uint32_t, kMostExpected> hashes{};
  std::array<const Block*, kMostExpected> known{};
  assert(objects.size() <= kMostExpected);
  for (const Block* block : objects) __builtin_prefetch(block, 1);
  for (const Block* block : objects) __builtin_prefetch(block->name().data());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    hashes[i] = impl_->HashOf(objects[i]->namespace_(), objects[i]->name());
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
  std::size_t buckets = impl_->state->table.load(std::memory_order_relaxed)->buckets();
  const std::size_t before = buckets;
  while (KeyTable::CapacityOf(buckets) < objects) buckets *= 2;
  if (buckets != before) impl_->GrowTable(buckets);
}

ObjectRef StoreCore::Pack(ObjectRef object) {
  Impl& w = *impl_;
  if (w.trainer != nullptr) {
    w.trainer->Add(*object);
    if (w.trainer->size() >= DictionaryTrainer::kSamples) w.Train();
  }
  return w.dictionary ? w.dictionary->Pack(object) : std::move(object);
}

ObjectRef StoreCore::Erase(std::string_view namespace_, std::string_view name) {
  Impl& w = *impl_;
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
  impl_->dirty = impl_->dirty || impl_->resource_version != resource_version;
  impl_->resource_version = resource_version;
}

bool StoreCore::CollectSome(std::size_t max_blocks) { return impl_->Collect(max_blocks); }

const Block* StoreCore::Peek(std::string_view namespace_, std::string_view name) const {
  if (impl_->keys == 0)
    return nullptr;  // without a hash: a first list asks for each of its objects
  const std::uint32_t entry = impl_->FindEntry(namespace_, name);
  if (entry == KeyTable::kNone) return nullptr;
  const Link head = impl_->state->heads[entry].load(std::memory_order_relaxed);
  return IsBlock(head) ? BlockOf(head) : nullptr;
}

Result<void> StoreCore::AddIndex(std::string name, IndexFunction function) {
  Impl& w = *impl_;
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
  Impl& w = *impl_;
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
    const StoreState& state = *impl_->state;
    found = ObjectRef::Share(state.Get(namespace_, name, state.versions.Current().version));
  }
  return found && found->packed() ? Unpacked(found) : found;
}

std::shared_ptr<const SnapshotCore> StoreCore::Snapshot() const {
  EpochGuard guard;
  return std::make_shared<PinnedSnapshot>(impl_->state, impl_->state->versions.Pin());
}

std::string StoreCore::ResourceVersion() const {
  EpochGuard guard;
  return impl_->state->versions.Current().resource_version;
}

std::size_t StoreCore::size() const {
  EpochGuard guard;
  return impl_->state->versions.Current().size;
}

StoreStats StoreCore::Stats() const {
  const StoreState& s = *impl_->state;
  return {.objects = size(),
          .object_bytes = s.object_bytes.load(std::memory_order_relaxed),
          .pinned_bytes = s.old_bytes.load(std::memory_order_relaxed),
          .table_bytes = s.table_bytes.load(std::memory_order_relaxed) +
                         s.index_bytes.load(std::memory_order_relaxed),
          .snapshots = s.snapshots.load(std::memory_order_relaxed)};
}

bool StoreCore::HasIndex(std::string_view name) const {
  EpochGuard guard;
  return StoreState::FindIndex(impl_->state->versions.Current(), name) != nullptr;
}

Result<std::vector<std::string>> StoreCore::ValuesOf(std::string_view index,
                                                     const Block& object) const {
  IndexFunction function;
  bool by_namespace = false;
  {
    EpochGuard guard;
    const StoreIndex* found = StoreState::FindIndex(impl_->state->versions.Current(), index);
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
  for (const auto& index : *impl_->state->versions.Current().indexes) {
    names.push_back(index->name());
  }
  return names;
}

}  // namespace kinformer::internal
