#include "cache/apply/coverage_writer.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/object/field_selector.h"

namespace kinformer::internal::cache {

namespace {

// Returns whether the selector only selects or excludes names and namespaces. Copies these
// conditions to `scope`.
bool IsOfTheKey(const FieldSelector& selector, Scope& scope) {
  bool only = true;
  for (const FieldSelector::Requirement& required : selector.requirements()) {
    if (!required.negated && required.field == "metadata.name") {
      scope.name = required.value;
    } else if (!required.negated && required.field == "metadata.namespace") {
      scope.namespace_ = required.value;
    } else if (required.negated && required.field == "metadata.namespace") {
      scope.without.insert(required.value);
    } else {
      only = false;
    }
  }
  return only;
}

}  // namespace

Scope ScopeOf(const ListScope& listed) {
  Scope scope{.namespace_ = listed.namespace_, .label_selector = listed.labelSelector};
  if (!listed.labelSelector.empty()) {
    scope.conditions = "label selector \"" + listed.labelSelector + '"';
  }
  if (!listed.fieldSelector.empty()) {
    const Result<FieldSelector> fields = FieldSelector::Parse(listed.fieldSelector);
    if (!fields || !IsOfTheKey(*fields, scope)) {
      scope.field_selector = listed.fieldSelector;
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
  if (before != nullptr && before->left_out != nullptr) {
    next_.left_out = before->left_out;
    left_out_ = *before->left_out;
  }
  if (before != nullptr && before->namespaces != nullptr) {
    namespaces_.places = before->namespaces->places;
    for (auto& [key, place] : namespaces_.places) place.complete = false;
  }
  next_.scope = std::move(scope);
  store_.Begin();
  Publish();
  store_.Commit();
}

CoverageWriter::~CoverageWriter() {
  for (auto& [key, place] : namespaces_.places) SetComplete(place, false);
  if (several_) NamespacesChanged();
  next_.complete = false;
  changed_ = true;
  store_.Begin();
  Publish();
  store_.Commit();
}

void CoverageWriter::SetNamespaces(const std::set<std::string, std::less<>>& namespaces, bool all,
                                   bool known, std::uint64_t epoch) {
  NamespaceSet next{.all = all, .known = known};
  incomplete_ = 0;
  for (const std::string& name : namespaces) {
    const auto before = namespaces_.places.find(name);
    Place& place = next.places[name];
    if (before != namespaces_.places.end()) {
      place = std::move(before->second);
    } else {
      place.epoch = epoch;
    }
    if (!place.complete) ++incomplete_;
  }
  namespaces_ = std::move(next);
  several_ = true;
  next_.scope.namespace_.clear();
  if (left_out_.KeepPlaces([&](const std::string& name) { return namespaces.contains(name); })) {
    left_out_changed_ = true;
  }
  NamespacesChanged();
}

void CoverageWriter::SetScope(std::string_view key, const Scope& scope) {
  const auto found = namespaces_.places.find(key);
  if (found == namespaces_.places.end()) return;
  std::shared_ptr<const Scope>& known = found->second.scope;
  if (known != nullptr && *known == scope) return;
  known = std::make_shared<const Scope>(scope);
  NamespacesChanged();
}

void CoverageWriter::NamespacesChanged() {
  next_.complete = namespaces_.known && incomplete_ == 0;
  namespaces_changed_ = true;
}

void CoverageWriter::SetComplete(Place& place, bool complete) {
  if (place.complete == complete) return;
  place.complete = complete;
  complete ? --incomplete_ : ++incomplete_;
}

void CoverageWriter::SetComplete(bool complete, const StorePart& part) {
  if (part.IsAll()) {
    changed_ = changed_ || next_.complete != complete;
    next_.complete = complete;
    return;
  }
  const auto found = namespaces_.places.find(part.key());
  if (found == namespaces_.places.end() || found->second.complete == complete) return;
  SetComplete(found->second, complete);
  NamespacesChanged();
}

void CoverageWriter::SetEpoch(const StorePart& part, std::uint64_t epoch) {
  const auto found = namespaces_.places.find(part.key());
  if (found == namespaces_.places.end() || found->second.epoch >= epoch) return;
  found->second.epoch = epoch;
  NamespacesChanged();
}

void CoverageWriter::AddUnreadable(ObjectName name) {
  if (unreadable_.insert(std::move(name)).second) unreadable_changed_ = true;
}

void CoverageWriter::RemoveUnreadable(std::string_view namespace_, std::string_view name) {
  const auto found = unreadable_.find(BorrowedName{namespace_, name});
  if (found == unreadable_.end()) return;
  unreadable_.erase(found);
  unreadable_changed_ = true;
}

void CoverageWriter::AssignUnreadable(const std::vector<ObjectName>& names, const StorePart& part) {
  if (names.empty() && unreadable_.empty()) return;
  std::erase_if(unreadable_, [&](const ObjectName& name) { return part.Has(name.namespace_); });
  unreadable_.insert(names.begin(), names.end());
  unreadable_changed_ = true;
}

void CoverageWriter::AddLeftOut(std::string_view namespace_, std::string_view name) {
  const std::string_view place = several_ ? namespaces_.KeyOf(namespace_) : std::string_view();
  if (left_out_.Insert(place, namespace_, name)) left_out_changed_ = true;
}

void CoverageWriter::RemoveLeftOut(std::string_view namespace_, std::string_view name) {
  if (left_out_.Erase(namespace_, name)) left_out_changed_ = true;
}

void CoverageWriter::AssignLeftOut(KeySet keys, const StorePart& part) {
  if (keys.empty() && left_out_.SizeOf(part.key()) == 0) return;
  left_out_.Assign(part.key(), std::move(keys));
  left_out_changed_ = true;
  const std::size_t readable = std::erase_if(unreadable_, [this](const ObjectName& name) {
    return left_out_.Contains(name.namespace_, name.name);
  });
  unreadable_changed_ = unreadable_changed_ || readable != 0;
}

void CoverageWriter::Publish() {
  if (namespaces_changed_) {
    next_.namespaces = std::make_shared<const NamespaceSet>(namespaces_);
    changed_ = true;
  }
  if (unreadable_changed_) {
    next_.unreadable = unreadable_.empty() ? nullptr : std::make_shared<const NameSet>(unreadable_);
  }
  if (left_out_changed_) {
    next_.left_out = left_out_.empty() ? nullptr : std::make_shared<const LeftOut>(left_out_);
  }
  if (!changed_ && !unreadable_changed_ && !left_out_changed_) return;
  store_.SetCoverage(std::make_shared<const Coverage>(next_));
  changed_ = false;
  namespaces_changed_ = false;
  unreadable_changed_ = false;
  left_out_changed_ = false;
}

}  // namespace kinformer::internal::cache
