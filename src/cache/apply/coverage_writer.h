// cache/apply/coverage_writer.h
//
// CoverageWriter: collects the coverage of a store's next version, so that it is published together
// with the objects that make it true.

#ifndef KINFORMER_CACHE_APPLY_COVERAGE_WRITER_H_
#define KINFORMER_CACHE_APPLY_COVERAGE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/client/lister_watcher.h"
#include "kinformer/object/object_name.h"

#include "cache/store/coverage.h"
#include "cache/store/store_core.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

// Returns the scope of a list for readers. Names and namespaces in its field selector restrict the
// keys; other conditions are kept as text and as selectors.
[[nodiscard]] Scope ScopeOf(const ListScope& listed);

// The coverage of a store is that of its places, one for each part: the whole (the key ""), or
// namespaces and kOtherNamespaces. Readers of a store with a single place see no places.
//
// Confined to the loop, as are the store's other writes. One per life of an informer: the store is
// incomplete from the first Publish until its places have been listed, and from the destruction on.
// Unreadable and left-out names of the life before stay until there is news of them.
class CoverageWriter {
 public:
  explicit CoverageWriter(StoreCore& store);
  // Commits a version.
  ~CoverageWriter();
  CoverageWriter(const CoverageWriter&) = delete;
  CoverageWriter& operator=(const CoverageWriter&) = delete;

  // Makes the store cover the places with these keys. Known places keep their completeness. New
  // ones start in `epoch`, the newest epoch that handlers may have seen. `all`: no other namespaces
  // exist. `known`: false while it is not known which places there are.
  void SetPlaces(const std::set<std::string, std::less<>>& keys, bool all, bool known,
                 std::uint64_t epoch);
  // Sets the scope of one of these places.
  void SetScope(std::string_view key, const Scope& scope);

  // The setters below take effect with Publish and the store's next commit. Those of one place are
  // ignored if the store has no such place.
  void SetComplete(bool complete, const StorePart& part);
  // Raises the epoch of a place; lower values are ignored.
  void SetEpoch(const StorePart& part, std::uint64_t epoch);
  void AddUnreadable(ObjectName name);
  void RemoveUnreadable(std::string_view namespace_, std::string_view name);
  void AssignUnreadable(const std::vector<ObjectName>& names, const StorePart& part);
  void AddLeftOut(const StorePart& part, std::string_view namespace_, std::string_view name);
  void RemoveLeftOut(std::string_view namespace_, std::string_view name);
  void AssignLeftOut(KeySet keys, const StorePart& part);
  // Passes the changes to the store. Copies all names if any has changed, as they are few, and the
  // places once for all changes of them.
  void Publish();

  [[nodiscard]] const LeftOut& left_out() const { return left_out_; }
  [[nodiscard]] bool IsUnreadable(std::string_view namespace_, std::string_view name) const {
    return unreadable_.contains(BorrowedName{namespace_, name});
  }
  // Returns whether all places are known and complete.
  [[nodiscard]] bool complete() const { return !ended_ && places_.known && incomplete_ == 0; }

 private:
  // Returns the place, or null if the store has no such place.
  [[nodiscard]] Place* PlaceOf(std::string_view key);
  void SetComplete(Place& place, bool complete);
  void PublishPlaces();

  StoreCore& store_;
  Coverage next_;
  NamespaceSet places_;
  std::size_t incomplete_ = 0;  // number of incomplete places
  NameSet unreadable_;
  LeftOut left_out_;
  bool ended_ = false;
  bool places_changed_ = true;
  bool unreadable_changed_ = false;
  bool left_out_changed_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_COVERAGE_WRITER_H_
