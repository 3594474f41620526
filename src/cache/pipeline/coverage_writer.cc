#include "cache/pipeline/coverage_writer.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/field_selector.h"

namespace kinformer::internal::cache {

namespace {

// True where the selector says nothing but which name and namespace an object has, which `scope`
// then knows.
bool IsOfTheKey(const FieldSelector& selector, Scope& scope) {
  bool only = true;
  for (const FieldSelector::Requirement& required : selector.requirements()) {
    if (!required.negated && required.field == "metadata.name") {
      scope.name = required.value;
    } else if (!required.negated && required.field == "metadata.namespace") {
      scope.namespace_ = required.value;
    } else {
      only = false;
    }
  }
  return only;
}

}  // namespace

Scope ScopeOf(const ListScope& listed) {
  Scope scope{.namespace_ = listed.namespace_};
  if (!listed.labelSelector.empty()) {
    scope.conditions = "label selector \"" + listed.labelSelector + '"';
  }
  if (!listed.fieldSelector.empty()) {
    const Result<FieldSelector> fields = FieldSelector::Parse(listed.fieldSelector);
    if (!fields || !IsOfTheKey(*fields, scope)) {
      if (!scope.conditions.empty()) scope.conditions += " and ";
      scope.conditions += "field selector \"" + listed.fieldSelector + '"';
    }
  }
  return scope;
}

CoverageWriter::CoverageWriter(StoreCore& store, Scope scope) : store_(store) {
  const Coverage* before = store_.coverage();
  if (before != nullptr && before->unreadable != nullptr) {
    next_.unreadable = before->unreadable;
    unreadable_ = *before->unreadable;
  }
  next_.scope = std::move(scope);
  store_.Begin();
  Publish();
  store_.Commit();
}

CoverageWriter::~CoverageWriter() {
  next_.complete = false;
  changed_ = true;
  store_.Begin();
  Publish();
  store_.Commit();
}

void CoverageWriter::SetComplete() {
  changed_ = changed_ || !next_.complete;
  next_.complete = true;
}

void CoverageWriter::AddUnreadable(ObjectName name) {
  if (unreadable_.insert(std::move(name)).second) unreadable_changed_ = true;
}

void CoverageWriter::RemoveUnreadable(std::string_view namespace_, std::string_view name) {
  if (unreadable_.empty()) return;
  if (unreadable_.erase(ObjectName{std::string(namespace_), std::string(name)}) != 0) {
    unreadable_changed_ = true;
  }
}

void CoverageWriter::AssignUnreadable(const std::vector<ObjectName>& names) {
  if (names.empty() && unreadable_.empty()) return;
  unreadable_ = std::set<ObjectName>(names.begin(), names.end());
  unreadable_changed_ = true;
}

void CoverageWriter::Publish() {
  if (unreadable_changed_) {
    next_.unreadable =
        unreadable_.empty() ? nullptr : std::make_shared<const std::set<ObjectName>>(unreadable_);
  }
  if (!changed_ && !unreadable_changed_) return;
  store_.SetCoverage(std::make_shared<const Coverage>(next_));
  changed_ = false;
  unreadable_changed_ = false;
}

}  // namespace kinformer::internal::cache
