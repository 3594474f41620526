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

// Confined to the loop, as are the store's other writes. One per life of an informer: the store is
// incomplete from its construction until a list has been applied, and from its destruction on.
// Unreadable and left-out names of the life before stay until there is news of them.
class CoverageWriter {
 public:
  // The constructor and the destructor each commit a version.
  CoverageWriter(StoreCore& store, Scope scope);
  ~CoverageWriter();
  CoverageWriter(const CoverageWriter&) = delete;
  CoverageWriter& operator=(const CoverageWriter&) = delete;

  // Makes the store cover these namespaces, one by one; kOtherNamespaces stands for all others.
  // Known places keep their completeness. New ones start in `epoch`, the newest epoch that handlers
  // may have seen.
  void SetNamespaces(const std::set<std::string, std::less<>>& namespaces, bool all, bool known,
                     std::uint64_t epoch);
  // Sets the scope of one of these namespaces.
  void SetScope(std::string_view key, const Scope& scope);

  // The setters below take effect with Publish and the store's next commit. A part is one of the
  // namespaces above, by its key, or all if the store has a single place.
  void SetComplete(bool complete, const StorePart& part);
  // Raises the epoch of one of several places; lower values are ignored.
  void SetEpoch(const StorePart& part, std::uint64_t epoch);
  void AddUnreadable(ObjectName name);
  void RemoveUnreadable(std::string_view namespace_, std::string_view name);
  void AssignUnreadable(const std::vector<ObjectName>& names, const StorePart& part);
  void AddLeftOut(std::string_view namespace_, std::string_view name);
  void RemoveLeftOut(std::string_view namespace_, std::string_view name);
  void AssignLeftOut(KeySet keys, const StorePart& part);
  // Passes the changes to the store. Copies all names if any has changed, as they are few, and the
  // namespaces once for all changes of them.
  void Publish();

  [[nodiscard]] const LeftOut& left_out() const { return left_out_; }
  [[nodiscard]] bool IsUnreadable(std::string_view namespace_, std::string_view name) const {
    return unreadable_.contains(BorrowedName{namespace_, name});
  }
  [[nodiscard]] bool complete() const { return next_.complete; }

 private:
  void SetComplete(Place& place, bool complete);
  // Marks the namespaces as changed, and updates the completeness of the whole.
  void NamespacesChanged();

  StoreCore& store_;
  Coverage next_;
  NamespaceSet namespaces_;     // next value of next_.namespaces
  std::size_t incomplete_ = 0;  // number of incomplete places
  bool several_ = false;        // SetNamespaces has been called
  NameSet unreadable_;
  LeftOut left_out_;
  bool changed_ = true;
  bool namespaces_changed_ = false;
  bool unreadable_changed_ = false;
  bool left_out_changed_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_COVERAGE_WRITER_H_
