// cache/pipeline/coverage_writer.h
//
// CoverageWriter: collects what the next version of a store will cover, so that it is published
// with the objects that make it true.

#ifndef KINFORMER_CACHE_PIPELINE_COVERAGE_WRITER_H_
#define KINFORMER_CACHE_PIPELINE_COVERAGE_WRITER_H_

#include <set>
#include <string_view>
#include <vector>

#include "kinformer/list_watch.h"
#include "kinformer/object_name.h"

#include "cache/store/coverage.h"
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

// What the readers of a store of that part of a collection are told. The name of a field selector
// is part of the key; the rest can only be named.
[[nodiscard]] Scope ScopeOf(const ListScope& listed);

// Confined to the loop, as the store's other writes. Each life of an informer has one: from its
// start on the store is incomplete, until a list has been applied, and from its end on again. What
// was unreadable before stays so until something is heard of it.
class CoverageWriter {
 public:
  // Both commit a version.
  CoverageWriter(StoreCore& store, Scope scope);
  ~CoverageWriter();
  CoverageWriter(const CoverageWriter&) = delete;
  CoverageWriter& operator=(const CoverageWriter&) = delete;

  // Publish hands these to the store, as part of its next commit.
  void SetComplete();
  void AddUnreadable(ObjectName name);
  void RemoveUnreadable(std::string_view namespace_, std::string_view name);
  void AssignUnreadable(const std::vector<ObjectName>& names);
  // Copies the names where they have changed, however many there are: they are few.
  void Publish();

  [[nodiscard]] const std::set<ObjectName>& unreadable() const { return unreadable_; }
  [[nodiscard]] bool IsUnreadable(std::string_view namespace_, std::string_view name) const {
    return !unreadable_.empty() &&
           unreadable_.contains(ObjectName{std::string(namespace_), std::string(name)});
  }

 private:
  StoreCore& store_;
  Coverage next_;
  std::set<ObjectName> unreadable_;
  bool changed_ = true;
  bool unreadable_changed_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_PIPELINE_COVERAGE_WRITER_H_
