// cache/apply/coverage_writer.h
//
// CoverageWriter: collects what the next version of a store will cover, so that it is published
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

#include "kinformer/list_watch.h"
#include "kinformer/object_name.h"

#include "cache/store/coverage.h"
#include "cache/store/store_core.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

// What the readers of a store of that part of a collection are told. The names and namespaces of a
// field selector are part of the key; the rest can only be named.
[[nodiscard]] Scope ScopeOf(const ListScope& listed);

// Confined to the loop, as the store's other writes. Each life of an informer has one: from its
// start on the store is incomplete, until a list has been applied, and from its end on again. What
// was unreadable or left out before stays so until something is heard of it.
class CoverageWriter {
 public:
  // Both commit a version.
  CoverageWriter(StoreCore& store, Scope scope);
  ~CoverageWriter();
  CoverageWriter(const CoverageWriter&) = delete;
  CoverageWriter& operator=(const CoverageWriter&) = delete;

  // From now on the store looks at these, one by one; kOtherNamespaces are all others. Those that
  // it has looked at before are as complete as they were. New ones begin in `epoch`, the newest
  // that handlers may have been told of.
  void SetNamespaces(const std::set<std::string, std::less<>>& namespaces, bool all, bool known,
                     std::uint64_t epoch);
  // What it looks at in one of them.
  void SetScope(std::string_view key, const Scope& scope);

  // Publish hands these to the store, as part of its next commit. A part is one of those places, by
  // its key, or all where the store looks at one place.
  void SetComplete(bool complete, const StorePart& part);
  // What is stored of one of several places is of that epoch, or of a later one.
  void SetEpoch(const StorePart& part, std::uint64_t epoch);
  void AddUnreadable(ObjectName name);
  void RemoveUnreadable(std::string_view namespace_, std::string_view name);
  void AssignUnreadable(const std::vector<ObjectName>& names, const StorePart& part);
  void AddLeftOut(std::string_view namespace_, std::string_view name);
  void RemoveLeftOut(std::string_view namespace_, std::string_view name);
  void AssignLeftOut(KeySet keys, const StorePart& part);
  // Copies the names where they have changed, however many there are: they are few. So it does with
  // the namespaces, once for all that has changed of them.
  void Publish();

  [[nodiscard]] NameSet UnreadableIn(const StorePart& part) const;
  [[nodiscard]] const LeftOut& left_out() const { return left_out_; }
  [[nodiscard]] bool IsUnreadable(std::string_view namespace_, std::string_view name) const {
    return unreadable_.contains(BorrowedName{namespace_, name});
  }
  [[nodiscard]] bool complete() const { return next_.complete; }

 private:
  void SetComplete(Place& place, bool complete);
  // Something of the namespaces has changed.
  void NamespacesChanged();

  StoreCore& store_;
  Coverage next_;
  NamespaceSet namespaces_;     // as next_.namespaces will be
  std::size_t incomplete_ = 0;  // of these
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
