#include "cache/store/store_index.h"

#include <algorithm>
#include <utility>

#include "base/text/hash_bytes.h"

namespace kinformer::internal::cache {

namespace {

constexpr std::uint64_t kValueSeed = 0x9e3779b97f4a7c15;
constexpr std::uint32_t kFirstRoom = 2;

std::size_t BytesOf(const EntryList& list) {
  return sizeof(EntryList) + list.capacity * sizeof(std::atomic<std::uint32_t>);
}
std::size_t BytesOf(const Posting& posting) { return sizeof(Posting) + posting.value.size() + 16; }

}  // namespace

StoreIndex::StoreIndex(std::string name, IndexFunction function, bool by_namespace,
                       RetireList& retired)
    : name_(std::move(name)),
      function_(std::move(function)),
      by_namespace_(by_namespace),
      retired_(retired),
      order_(function_.ordered ? std::make_unique<PostingOrder>(retired) : nullptr),
      values_(new ValueTable(8)) {}

StoreIndex::~StoreIndex() {
  for (std::uint32_t i = 0; i < words_end_; ++i) {
    const std::uintptr_t word = words_[i].load(std::memory_order_relaxed);
    if ((word & kHistory) == 0 && (word & kMulti) == 0) continue;
    for (const Since& since : Load(i)) {
      if ((since.set & kMulti) != 0) delete reinterpret_cast<MultiSet*>(since.set & ~kMulti);
    }
    if ((word & kHistory) != 0) delete reinterpret_cast<History*>(word & ~kHistory);
  }
  ForEach([](const Posting& posting) { delete &posting; });
  delete values_.load(std::memory_order_relaxed);
}

// ---- sets

template <class Visit>
void StoreIndex::ForEachPosting(SetWord set, const Visit& visit) {
  if (set == 0) return;
  if ((set & kMulti) == 0) {
    visit(reinterpret_cast<Posting*>(set));
    return;
  }
  for (Posting* posting : reinterpret_cast<const MultiSet*>(set & ~kMulti)->postings) {
    visit(posting);
  }
}

bool StoreIndex::Contains(SetWord set, const Posting* posting) {
  if ((set & kMulti) == 0) return set == reinterpret_cast<std::uintptr_t>(posting);
  const auto& postings = reinterpret_cast<const MultiSet*>(set & ~kMulti)->postings;
  return std::find(postings.begin(), postings.end(), posting) != postings.end();
}

bool StoreIndex::Equal(SetWord set, const SortedValues& values) {
  std::size_t i = 0;
  bool equal = true;
  ForEachPosting(set, [&](const Posting* posting) {
    equal = equal && i < values.size() && posting->value == values[i];
    ++i;
  });
  return equal && i == values.size();
}

bool StoreIndex::AnyContains(const std::vector<Since>& sets, const Posting* posting) {
  return std::any_of(sets.begin(), sets.end(),
                     [&](const Since& since) { return Contains(since.set, posting); });
}

StoreIndex::SetWord StoreIndex::MakeSet(const SortedValues& values) {
  if (values.empty()) return 0;
  if (values.size() == 1) return reinterpret_cast<SetWord>(Intern(values.front()));
  auto* set = new MultiSet;
  set->postings.reserve(values.size());
  for (std::string_view value : values) set->postings.push_back(Intern(value));
  return reinterpret_cast<SetWord>(set) | kMulti;
}

std::vector<StoreIndex::Since> StoreIndex::Load(std::uint32_t entry) const {
  const std::uintptr_t word = words_[entry].load(std::memory_order_relaxed);
  if ((word & kHistory) == 0) return {{0, word}};
  return reinterpret_cast<const History*>(word & ~kHistory)->sets;
}

void StoreIndex::Store(std::uint32_t entry, const std::vector<Since>& before,
                       std::vector<Since> sets) {
  // Updates postings first: a reader that sees a value in the new word finds the entry in its
  // posting. Adds before removing, since a removal may destroy a posting.
  for (const Since& since : sets) {
    ForEachPosting(since.set, [&](Posting* posting) {
      if (!AnyContains(before, posting)) AddTo(posting, entry);
    });
  }
  const std::uintptr_t old = words_[entry].load(std::memory_order_relaxed);
  std::uintptr_t word = 0;
  if (sets.size() == 1) {
    word = sets.front().set;
  } else if (!sets.empty()) {
    word = reinterpret_cast<std::uintptr_t>(new History{sets}) | kHistory;
  }
  words_[entry].store(word, std::memory_order_release);
  std::vector<Posting*> dropped;
  for (const Since& since : before) {
    const bool kept = std::any_of(sets.begin(), sets.end(),
                                  [&](const Since& other) { return other.set == since.set; });
    if (kept) continue;
    ForEachPosting(since.set, [&](Posting* posting) {
      if (!AnyContains(sets, posting) &&
          std::find(dropped.begin(), dropped.end(), posting) == dropped.end()) {
        dropped.push_back(posting);
      }
    });
    if ((since.set & kMulti) != 0) {
      retired_.RetireDelete(reinterpret_cast<MultiSet*>(since.set & ~kMulti));
    }
  }
  for (Posting* posting : dropped) RemoveFrom(posting, entry);
  if ((old & kHistory) != 0) retired_.RetireDelete(reinterpret_cast<History*>(old & ~kHistory));
}

void StoreIndex::SetFirst(std::uint32_t entry, const SortedValues& values) {
  if (by_namespace_) {
    AddTo(Intern(values.front()), entry);
    return;
  }
  for (; words_end_ <= entry; ++words_end_) {
    Account(static_cast<std::ptrdiff_t>(words_.Grow(words_end_)));
  }
  Store(entry, {}, {{0, MakeSet(values)}});
}

bool StoreIndex::Set(std::uint32_t entry, const SortedValues& values, std::uint64_t version,
                     const Versions& versions, std::uint64_t* from) {
  const std::uintptr_t word = words_[entry].load(std::memory_order_relaxed);
  if ((word & kHistory) == 0 && Equal(word, values)) return false;
  const std::vector<Since> before = Load(entry);
  if (Equal(before.front().set, values)) return false;
  std::vector<Since> sets;
  sets.reserve(before.size() + 1);
  sets.push_back({version, MakeSet(values)});
  const bool replaced = before.front().version != version;
  for (std::size_t i = replaced ? 0 : 1; i < before.size(); ++i) {
    const std::uint64_t until = i == 0 ? version : before[i - 1].version;
    if (versions.MayBeRead(before[i].version, until)) sets.push_back(before[i]);
  }
  *from = before.front().version;
  Store(entry, before, std::move(sets));
  return replaced;
}

VersionNode* StoreIndex::Forget(std::uint32_t entry, std::uint64_t from, const Versions& versions) {
  const std::vector<Since> before = Load(entry);
  for (std::size_t i = 1; i < before.size(); ++i) {
    if (before[i].version != from) continue;
    const std::uint64_t until = before[i - 1].version;
    if (VersionNode* node = versions.PinnedIn(from, until)) return node;
    if (versions.MayBeRead(from, until)) return nullptr;
    std::vector<Since> sets = before;
    sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(i));
    Store(entry, before, std::move(sets));
    return nullptr;
  }
  return nullptr;
}

void StoreIndex::Clear(std::uint32_t entry, std::string_view namespace_) {
  if (by_namespace_) {
    RemoveFrom(Intern(namespace_), entry);
  } else if (entry < words_end_) {
    Store(entry, Load(entry), {});
  }
}

// ---- postings

void StoreIndex::AddTo(Posting* posting, std::uint32_t entry) {
  if (posting->stale != nullptr && posting->stale->erase(entry) != 0) {
    if (posting->stale->empty()) posting->stale.reset();
    return;  // it is still in the list
  }
  EntryList* list = posting->entries.load(std::memory_order_relaxed);
  std::uint32_t size = list == nullptr ? 0 : list->size.load(std::memory_order_relaxed);
  if (list == nullptr || size == list->capacity) {
    auto* larger = new EntryList(list == nullptr ? kFirstRoom : size + size / 2 + 1);
    for (std::uint32_t i = 0; i < size; ++i) {
      larger->at[i].store(list->at[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    larger->size.store(size, std::memory_order_relaxed);
    Account(static_cast<std::ptrdiff_t>(BytesOf(*larger)));
    posting->entries.store(larger, std::memory_order_release);
    if (list != nullptr) {
      Account(-static_cast<std::ptrdiff_t>(BytesOf(*list)));
      retired_.RetireDelete(list);
    }
    list = larger;
  }
  list->at[size].store(entry, std::memory_order_relaxed);
  list->size.store(size + 1, std::memory_order_release);
}

void StoreIndex::RemoveFrom(Posting* posting, std::uint32_t entry) {
  EntryList* list = posting->entries.load(std::memory_order_relaxed);
  const std::uint32_t size = list->size.load(std::memory_order_relaxed);
  const std::size_t stale = 1 + (posting->stale == nullptr ? 0 : posting->stale->size());
  if (stale == size) {
    RemovePosting(posting);
    return;
  }
  // Readers may be in the list, so it is replaced by a copy and never shrunk in place. Small
  // numbers of removals only mark entries as stale.
  if (stale * 4 < size) {
    if (posting->stale == nullptr) {
      posting->stale = std::make_unique<std::unordered_set<std::uint32_t>>();
    }
    posting->stale->insert(entry);
    return;
  }
  const auto left = static_cast<std::uint32_t>(size - stale);
  auto* smaller = new EntryList(std::max(kFirstRoom, left + left / 8));
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t e = list->at[i].load(std::memory_order_relaxed);
    if (e == entry || (posting->stale != nullptr && posting->stale->contains(e))) continue;
    smaller->at[n++].store(e, std::memory_order_relaxed);
  }
  smaller->size.store(n, std::memory_order_relaxed);
  posting->stale.reset();
  posting->entries.store(smaller, std::memory_order_release);
  Account(static_cast<std::ptrdiff_t>(BytesOf(*smaller)) -
          static_cast<std::ptrdiff_t>(BytesOf(*list)));
  retired_.RetireDelete(list);
}

// ---- values

const Posting* StoreIndex::Find(std::string_view value) const {
  const std::uint64_t hash = base::HashBytes(kValueSeed, value);
  const ValueTable* table = values_.load(std::memory_order_acquire);
  for (std::size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
    const Posting* posting = table->at[i].load(std::memory_order_acquire);
    if (posting == nullptr) return nullptr;
    if (posting != Removed() && posting->hash == hash && posting->value == value) return posting;
  }
}

Posting* StoreIndex::Intern(std::string_view value) {
  if (const Posting* found = Find(value)) return const_cast<Posting*>(found);
  ValueTable* table = values_.load(std::memory_order_relaxed);
  // At most three quarters full, so that a search always ends.
  if ((values_used_ + 1) * 4 > (table->mask + 1) * 3) {
    std::size_t size = 8;
    while (size < (values_live_ + 1) * 2) size *= 2;
    auto* next = new ValueTable(size);
    ForEach([&](const Posting& p) { InsertPosting(*next, const_cast<Posting*>(&p)); });
    values_used_ = values_live_;
    Account((static_cast<std::ptrdiff_t>(size) - static_cast<std::ptrdiff_t>(table->mask) - 1) *
            static_cast<std::ptrdiff_t>(sizeof(void*)));
    values_.store(next, std::memory_order_release);
    retired_.RetireDelete(table);
    table = next;
  }
  auto* posting = new Posting(value, base::HashBytes(kValueSeed, value));
  Account(static_cast<std::ptrdiff_t>(BytesOf(*posting)));
  InsertPosting(*table, posting);
  if (order_ != nullptr) Account(static_cast<std::ptrdiff_t>(order_->Insert(*posting)));
  ++values_used_;
  ++values_live_;
  return posting;
}

void StoreIndex::InsertPosting(ValueTable& table, Posting* posting) {
  std::size_t i = posting->hash & table.mask;
  while (table.at[i].load(std::memory_order_relaxed) != nullptr) i = (i + 1) & table.mask;
  table.at[i].store(posting, std::memory_order_release);
}

void StoreIndex::RemovePosting(Posting* posting) {
  ValueTable* table = values_.load(std::memory_order_relaxed);
  std::size_t i = posting->hash & table->mask;
  while (table->at[i].load(std::memory_order_relaxed) != posting) i = (i + 1) & table->mask;
  table->at[i].store(Removed(), std::memory_order_release);
  if (order_ != nullptr) Account(-static_cast<std::ptrdiff_t>(order_->Erase(*posting)));
  --values_live_;
  Account(-static_cast<std::ptrdiff_t>(BytesOf(*posting) +
                                       BytesOf(*posting->entries.load(std::memory_order_relaxed))));
  retired_.RetireDelete(posting);
}

// ---- reading

bool StoreIndex::Has(std::uint32_t entry, const Posting* posting, std::uint64_t version) const {
  const std::uintptr_t word = words_[entry].load(std::memory_order_acquire);
  if ((word & kHistory) == 0) return Contains(word, posting);
  for (const Since& since : reinterpret_cast<const History*>(word & ~kHistory)->sets) {
    if (since.version <= version) return Contains(since.set, posting);
  }
  return false;
}

}  // namespace kinformer::internal::cache
