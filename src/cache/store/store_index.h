// cache/store/store_index.h
//
// StoreIndex: one named index of a StoreCore: from a value to the entries whose object has it.
//
// A reader checks each entry of a Posting again at its own version, against the set of values that
// the entry had then. The sets are kept here per entry, computed when an object is written, so that
// reading never calls the user's function.

#ifndef KINFORMER_CACHE_STORE_STORE_INDEX_H_
#define KINFORMER_CACHE_STORE_STORE_INDEX_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/snapshot_core.h"

#include "cache/store/posting.h"
#include "cache/store/posting_order.h"
#include "cache/store/retire_list.h"
#include "cache/store/segmented_array.h"
#include "cache/store/versions.h"

namespace kinformer::internal::cache {

// The values of one object, sorted and distinct.
using SortedValues = std::vector<std::string_view>;

class StoreIndex {
 public:
  // `by_namespace`: the value is the object's namespace. It is part of the key and never changes,
  // so no sets are kept.
  StoreIndex(std::string name, IndexFunction function, bool by_namespace, RetireList& retired);
  ~StoreIndex();
  StoreIndex(const StoreIndex&) = delete;
  StoreIndex& operator=(const StoreIndex&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const IndexFunction& function() const { return function_; }
  [[nodiscard]] bool by_namespace() const { return by_namespace_; }
  // Returns the values in order; null if the index is not ordered.
  [[nodiscard]] const PostingOrder* order() const { return order_.get(); }

  // ---- writer
  // Sets the values of an entry that has no object at any readable version.
  void SetFirst(std::uint32_t entry, const SortedValues& values);
  // Sets the values from `version` on. Returns true if this replaced a set, and in `*from` since
  // when that was current. REQUIRES: !by_namespace().
  bool Set(std::uint32_t entry, const SortedValues& values, std::uint64_t version,
           const Versions& versions, std::uint64_t* from);
  // Forgets the set that became current at `from`. If a version with that set is pinned, keeps it
  // and returns that version. REQUIRES: Set returned true for that entry and `from`.
  VersionNode* Forget(std::uint32_t entry, std::uint64_t from, const Versions& versions);
  // Prepares the entry for another key. `namespace_` is that of its last object.
  void Clear(std::uint32_t entry, std::string_view namespace_);
  [[nodiscard]] std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  // ---- readers, under a guard
  [[nodiscard]] const Posting* Find(std::string_view value) const;
  // Returns whether the entry had the value at `version`. REQUIRES: !by_namespace().
  [[nodiscard]] bool Has(std::uint32_t entry, const Posting* posting, std::uint64_t version) const;
  // Calls `visit(const Posting&)` for every value that some readable version has.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    const ValueTable* table = values_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i <= table->mask; ++i) {
      const Posting* posting = table->at[i].load(std::memory_order_acquire);
      if (posting != nullptr && posting != Removed()) visit(*posting);
    }
  }

 private:
  // The values of an entry in one word: 0 for none, a Posting*, or a MultiSet* with kMulti.
  using SetWord = std::uintptr_t;
  static constexpr std::uintptr_t kMulti = 1;
  // The history of an entry in one word: a SetWord, or a History* with kHistory.
  static constexpr std::uintptr_t kHistory = 2;

  struct MultiSet {
    std::vector<Posting*> postings;  // by value
  };
  struct Since {
    std::uint64_t version;
    SetWord set;
  };
  struct History {
    std::vector<Since> sets;  // newest first
  };
  struct ValueTable {
    explicit ValueTable(std::size_t size)
        : mask(size - 1), at(std::make_unique<std::atomic<Posting*>[]>(size)) {}
    std::size_t mask;
    std::unique_ptr<std::atomic<Posting*>[]> at;
  };

  static Posting* Removed() { return reinterpret_cast<Posting*>(std::uintptr_t{8}); }
  template <class Visit>
  static void ForEachPosting(SetWord set, const Visit& visit);
  static bool Contains(SetWord set, const Posting* posting);
  static bool Equal(SetWord set, const SortedValues& values);
  static bool AnyContains(const std::vector<Since>& sets, const Posting* posting);

  Posting* Intern(std::string_view value);
  void InsertPosting(ValueTable& table, Posting* posting);
  void RemovePosting(Posting* posting);
  SetWord MakeSet(const SortedValues& values);
  std::vector<Since> Load(std::uint32_t entry) const;
  // Makes `sets` the history of the entry and updates the postings; `before` is the old one.
  void Store(std::uint32_t entry, const std::vector<Since>& before, std::vector<Since> sets);
  void AddTo(Posting* posting, std::uint32_t entry);
  void RemoveFrom(Posting* posting, std::uint32_t entry);
  void Account(std::ptrdiff_t bytes) {
    bytes_.fetch_add(static_cast<std::size_t>(bytes), std::memory_order_relaxed);
  }

  const std::string name_;
  const IndexFunction function_;
  const bool by_namespace_;
  RetireList& retired_;
  const std::unique_ptr<PostingOrder> order_;  // null unless ordered
  std::atomic<ValueTable*> values_;
  std::size_t values_used_ = 0;  // removed ones included
  std::size_t values_live_ = 0;
  SegmentedArray<std::atomic<std::uintptr_t>, 16> words_;
  std::uint32_t words_end_ = 0;
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_STORE_INDEX_H_
