#include "kinformer/controller/predicate.h"

#include <cstddef>
#include <utility>

#include "kinformer/object/object_meta.h"

namespace kinformer::predicate {
namespace {

using kinformer::internal::StringMap;

// Compares the entries, ignoring their order.
bool SameEntries(const StringMap& a, const StringMap& b) {
  std::size_t entries = 0;
  for (const auto& [key, value] : a) {
    if (b.Find(key) != value) return false;
    ++entries;
  }
  return entries == b.size();
}

template <class Changed>
Predicate<Object> OfUpdates(Changed changed) {
  return {.update = [changed](const Updated<Object>& event) {
    return changed(event.old_object.metadata(), event.new_object.metadata());
  }};
}

}  // namespace

Predicate<Object> ResourceVersionChangedPredicate() {
  return OfUpdates([](const metav1::ObjectMeta& before, const metav1::ObjectMeta& now) {
    return before.resourceVersion() != now.resourceVersion();
  });
}

Predicate<Object> GenerationChangedPredicate() {
  return OfUpdates([](const metav1::ObjectMeta& before, const metav1::ObjectMeta& now) {
    return before.generation() != now.generation();
  });
}

Predicate<Object> AnnotationChangedPredicate() {
  return OfUpdates([](const metav1::ObjectMeta& before, const metav1::ObjectMeta& now) {
    return !SameEntries(before.annotations(), now.annotations());
  });
}

Predicate<Object> LabelChangedPredicate() {
  return OfUpdates([](const metav1::ObjectMeta& before, const metav1::ObjectMeta& now) {
    return !SameEntries(before.labels(), now.labels());
  });
}

Predicate<Object> LabelSelectorPredicate(LabelSelector selector) {
  return NewPredicateFuncs<Object>([selector = std::move(selector)](const Object& object) {
    return selector.Matches(object.metadata().labels());
  });
}

}  // namespace kinformer::predicate
