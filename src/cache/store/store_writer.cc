#include "cache/store/store_writer.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

#include "kinformer/base/log.h"

#include "base/core/user_call.h"
#include "cache/store/reclamation.h"
#include "object/values/object_key.h"

namespace kinformer::internal::cache {

namespace {

// Minimum number of old versions that a commit collects per pending commit; it collects more if it
// replaced more.
constexpr std::size_t kCollectPerCommit = 32;
constexpr std::size_t kMaxCollectForWork = 8192;
// Scanning all reader threads costs about 20 ns for each, so small commits often skip it.
constexpr std::size_t kCommitsPerScan = 8;
constexpr Duration kSlowIndexFunction = std::chrono::milliseconds(5);

}  // namespace

// ---- versions

void StoreWriter::CommitNow() {
  if (!dirty) return;
  dirty = false;
  next.entries = state->entries_end;
  if (change_log != nullptr) change_log->Commit(NextVersion());
  state->versions.Publish(next);
  const std::size_t work = replaced_since_commit;
  replaced_since_commit = 0;
  const bool many = replaced.size() + state->retired.size() > 4 * kCollectPerCommit;
  if (++commits_since_scan >= kCommitsPerScan || (many && work > kCollectPerCommit)) {
    // Collects in proportion to what was replaced, but never for more than about a millisecond.
    Collect(kCollectPerCommit * kCommitsPerScan + std::min(2 * work, kMaxCollectForWork) +
            (replaced.size() + state->retired.size()) / 64);
  }
}

void StoreWriter::LookAtPinned() {
  if (state->versions.pinned() == 0) {
    if (state->pinned_since.load(std::memory_order_relaxed) != SteadyTime::max()) {
      state->pinned_since.store(SteadyTime::max(), std::memory_order_relaxed);
    }
    return;
  }
  const SteadyTime now = env.Now();
  const SteadyTime since = state->versions.PinnedSince(now);
  state->pinned_since.store(since, std::memory_order_relaxed);
  const Duration limit = state->snapshot_age_limit.load(std::memory_order_relaxed);
  const bool old = limit > Duration(0) && now - since > limit;
  if (old && !told_of_old_snapshot) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since).count();
    env.log().Log(
        LogLevel::kWarning,
        "a snapshot has been held for long; it keeps the memory of objects that were replaced",
        {{"store", options.name},
         {"seconds", std::to_string(seconds)},
         {"snapshots", std::to_string(state->snapshots.load(std::memory_order_relaxed))},
         {"bytes", std::to_string(state->old_bytes.load(std::memory_order_relaxed))}});
  }
  told_of_old_snapshot = old;
}

void StoreWriter::StartChangeLog() {
  const base::MutexLock lock(state->change_log_mutex);
  change_log = state->change_log;
  change_log->Start(NextVersion() - 1);
}

bool StoreWriter::Collect(std::size_t budget) {
  commits_since_scan = 0;
  Versions& versions = state->versions;
  RetireList& retired = state->retired;
  if (replaced.empty() && retired.empty() && !versions.HasUnsettled() && !versions.HasUnheld() &&
      !versions.SawUnpin()) {
    replaced.ReleaseMemory();
    retired.ReleaseMemory();
    return false;
  }
  const std::size_t start = budget;
  retired.Stamp();
  const std::uint64_t safe = SafeToFree();
  versions.Settle(safe);
  LookAtPinned();
  const std::uint64_t settled = versions.SettledBelow();
  for (; budget > 0 && !replaced.empty() && replaced.front().until <= settled; --budget) {
    const Replaced old = replaced.front();
    replaced.pop_front();
    Forget(old);
  }
  Replaced old;
  for (; budget > 0 && versions.NextUnheld(old); --budget) Forget(old);
  retired.FreeBefore(safe, start);
  state->index_bytes.store(
      [this] {
        std::size_t bytes = 0;
        for (const auto& index : *next.indexes) bytes += index->bytes();
        return bytes;
      }(),
      std::memory_order_relaxed);
  return versions.HasUnheld() || (!replaced.empty() && replaced.front().until <= settled) ||
         !retired.empty();
}

void StoreWriter::Forget(const Replaced& old) {
  if (old.index == nullptr) {
    ForgetObject(old);
  } else if (VersionNode* node = old.index->Forget(old.entry, old.from, state->versions)) {
    node->held.push_back(old);
  }
}

void StoreWriter::ForgetObject(const Replaced& old) {
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
    // Versions in between are unlinked already, since no reader could see them; so the range may
    // extend to the next version in the chain.
    const std::uint64_t until = VersionOf(newer);
    if (VersionNode* node = state->versions.PinnedIn(old.from, until)) {
      node->held.push_back(old);
      return;
    }
    if (state->versions.MayBeRead(old.from, until)) return;  // replaced again: has another record
    SetPrevious(newer, PreviousOf(link));
    if (IsBlock(link)) {
      namespace_ = BlockOf(link)->namespace_();  // in retired, so still there
      RetireBlock(BlockOf(link));
    } else {
      RetireTombstone(TombstoneOf(link));
    }
  }
  // Only deletions remain, and no reader can see the versions before them.
  if (IsBlock(link) && newer != 0 && !HasBlock(head)) Sweep(old.entry, namespace_);
}

void StoreWriter::RetireBlock(const Block* block) {
  state->retired.Retire(
      const_cast<Block*>(block),
      [](void* context, void* item) {
        const auto* b = static_cast<const Block*>(item);
        static_cast<StoreState*>(context)->old_bytes.fetch_sub(b->allocated_bytes(),
                                                               std::memory_order_relaxed);
        b->Unclaim();
        b->Release();
      },
      state.get());
}

// ---- entries

std::size_t StoreWriter::FindSlot(std::uint32_t hash, std::string_view namespace_,
                                  std::string_view name) const {
  return table().Find(hash, [&](Link link) {
    PrefetchKey(link);
    while (IsTombstone(link)) link = PreviousOf(link);
    return link != 0 && IsKeyOf(*BlockOf(link), namespace_, name);
  });
}

std::uint32_t StoreWriter::NewEntry(std::uint32_t hash) {
  if (keys + 1 > table().capacity()) GrowTable(table().buckets() * 2);
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

void StoreWriter::GrowTable(std::size_t buckets) {
  const KeyTable* old = &table();
  auto* larger = new KeyTable(buckets);
  for (std::uint32_t entry = 0; entry < state->entries_end; ++entry) {
    const Link head = state->heads[entry].load(std::memory_order_relaxed);
    if (head != 0) larger->Insert(hashes[entry], entry, head);
  }
  state->table_bytes.fetch_add(larger->bytes() - old->bytes(), std::memory_order_relaxed);
  state->table.store(larger, std::memory_order_release);
  state->retired.RetireDelete(old);
}

void StoreWriter::Sweep(std::uint32_t entry, std::string_view namespace_) {
  Link link = state->heads[entry].load(std::memory_order_relaxed);
  state->heads[entry].store(0, std::memory_order_release);
  while (link != 0) {
    const Link previous = PreviousOf(link);
    RetireTombstone(TombstoneOf(link));
    link = previous;
  }
  table().Erase(hashes[entry], entry);
  ForEachIndexOf(entry, [&](StoreIndex& index) { index.Clear(entry, namespace_); });
  free_entries.push_back(entry);
  --keys;
}

// ---- indexes

const SortedValues& StoreWriter::ValuesOf(const StoreIndex& index, const Block& block) {
  values.Clear();
  if (index.by_namespace()) {
    values.Add(block.namespace_());
    return values.Sorted();
  }
  const SteadyTime start = env.Now();
  const Result<void> called = base::CallUser(
      env, "an index function", [&] { index.function()(block, values); },
      [&] {
        return index.name() + " of " + options.name + " for " +
               ObjectKey(block.namespace_(), block.name());
      });
  if (!called) values.Clear();  // the object has no value in this index
  if (const Duration took = env.Now() - start; took > kSlowIndexFunction) {
    env.log().Log(
        LogLevel::kWarning, "index function is slow; it holds up every informer of this loop",
        {{"store", options.name},
         {"index", index.name()},
         {"key", ObjectKey(block.namespace_(), block.name())},
         {"ms",
          std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count())}});
  }
  return values.Sorted();
}

bool StoreWriter::HasIndexFunctions() const {
  return filling != nullptr ||
         std::any_of(next.indexes->begin(), next.indexes->end(),
                     [](const auto& index) { return !index->by_namespace(); });
}

void StoreWriter::Train() {
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

void StoreWriter::IndexFirst(std::uint32_t entry, const Block& block) {
  ForEachIndexOf(entry, [&](StoreIndex& index) { index.SetFirst(entry, ValuesOf(index, block)); });
}

void StoreWriter::IndexNext(std::uint32_t entry, const Block& block) {
  const std::uint64_t version = NextVersion();
  ForEachIndexOf(entry, [&](StoreIndex& index) {
    if (index.by_namespace()) return;
    std::uint64_t from = 0;
    if (index.Set(entry, ValuesOf(index, block), version, state->versions, &from)) {
      replaced.push_back({from, version, entry, &index});
      ++replaced_since_commit;
    }
  });
}

void StoreWriter::FillNextEntry() {
  const std::uint32_t entry = filling->end++;
  const Link link = state->heads[entry].load(std::memory_order_relaxed);
  if (link == 0) return;
  // Unswept deleted keys get no values: no readable version has both key and index.
  const ObjectRef whole = IsBlock(link) ? Unpacked(ObjectRef::Share(BlockOf(link))) : ObjectRef();
  for (const auto& index : filling->indexes) {
    index->SetFirst(entry, whole ? ValuesOf(*index, *whole) : SortedValues());
  }
}

}  // namespace kinformer::internal::cache
