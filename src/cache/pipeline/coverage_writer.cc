#include "cache/pipeline/coverage_writer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/field_selector.h"

#include "cache/store/planted_bug.h"

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
    namespaces_.epochs = before->namespaces->epochs;
  }
  next_.scope = std::move(scope);
  if (Planted(PlantedBug::kNotFoundBeforeSync)) next_.complete = true;
  store_.Begin();
  Publish();
  store_.Commit();
}

CoverageWriter::~CoverageWriter() {
  for (auto& [name, complete] : namespaces_.complete) complete = false;
  if (next_.namespaces != nullptr) JudgeCompleteness();
  next_.complete = false;
  changed_ = true;
  store_.Begin();
  Publish();
  store_.Commit();
}

void CoverageWriter::SetNamespaces(const std::set<std::string, std::less<>>& namespaces, bool all,
                                   bool known) {
  NamespaceSet next{.all = all, .known = known};
  for (const std::string& name : namespaces) {
    const auto before = namespaces_.complete.find(name);
    next.complete[name] = before != namespaces_.complete.end() && before->second;
    next.epochs[name] = namespaces_.EpochOf(name).value_or(0);
  }
  namespaces_ = std::move(next);
  next_.scope.namespace_.clear();
  if (left_out_.KeepPlaces([&](const std::string& name) { return namespaces.contains(name); })) {
    left_out_changed_ = true;
  }
  JudgeCompleteness();
}

void CoverageWriter::SetConditions(const Scope& scope) {
  if (next_.scope.name == scope.name && next_.scope.conditions == scope.conditions) return;
  next_.scope.name = scope.name;
  next_.scope.conditions = scope.conditions;
  next_.scope.label_selector = scope.label_selector;
  next_.scope.field_selector = scope.field_selector;
  changed_ = true;
}

void CoverageWriter::JudgeCompleteness() {
  next_.complete =
      namespaces_.known && std::all_of(namespaces_.complete.begin(), namespaces_.complete.end(),
                                       [](const auto& one) { return one.second; });
  next_.namespaces = std::make_shared<const NamespaceSet>(namespaces_);
  changed_ = true;
}

void CoverageWriter::SetComplete(bool complete, std::string_view namespace_) {
  if (namespace_.empty()) {
    changed_ = changed_ || next_.complete != complete;
    next_.complete = complete;
    return;
  }
  const auto found = namespaces_.complete.find(namespace_);
  if (found == namespaces_.complete.end() || found->second == complete) return;
  found->second = complete;
  JudgeCompleteness();
}

void CoverageWriter::SetEpoch(std::string_view namespace_, std::uint64_t epoch) {
  const auto found = namespaces_.epochs.find(namespace_);
  if (found == namespaces_.epochs.end() || found->second >= epoch) return;
  found->second = epoch;
  JudgeCompleteness();
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

void CoverageWriter::AssignUnreadable(const std::vector<ObjectName>& names,
                                      std::string_view namespace_) {
  if (names.empty() && unreadable_.empty()) return;
  std::erase_if(unreadable_, [&](const ObjectName& name) {
    return namespace_.empty() || name.namespace_ == namespace_;
  });
  unreadable_.insert(names.begin(), names.end());
  unreadable_changed_ = true;
}

void CoverageWriter::AddLeftOut(std::string_view namespace_, std::string_view name) {
  const std::string_view place = next_.namespaces == nullptr ? std::string_view() : namespace_;
  if (left_out_.Insert(place, namespace_, name)) left_out_changed_ = true;
}

void CoverageWriter::RemoveLeftOut(std::string_view namespace_, std::string_view name) {
  if (left_out_.Erase(namespace_, name)) left_out_changed_ = true;
}

void CoverageWriter::AssignLeftOut(KeySet keys, std::string_view namespace_) {
  if (keys.empty() && left_out_.SizeOf(namespace_) == 0) return;
  left_out_.Assign(namespace_, std::move(keys));
  left_out_changed_ = true;
  const std::size_t readable = std::erase_if(unreadable_, [this](const ObjectName& name) {
    return left_out_.Contains(name.namespace_, name.name);
  });
  unreadable_changed_ = unreadable_changed_ || readable != 0;
}

NameSet CoverageWriter::UnreadableIn(std::string_view namespace_) const {
  if (namespace_.empty() || unreadable_.empty()) return unreadable_;
  NameSet found;
  for (const ObjectName& name : unreadable_) {
    if (name.namespace_ == namespace_) found.insert(name);
  }
  return found;
}

void CoverageWriter::Publish() {
  if (unreadable_changed_) {
    next_.unreadable = unreadable_.empty() ? nullptr : std::make_shared<const NameSet>(unreadable_);
  }
  if (left_out_changed_) {
    next_.left_out = left_out_.empty() ? nullptr : std::make_shared<const LeftOut>(left_out_);
  }
  if (!changed_ && !unreadable_changed_ && !left_out_changed_) return;
  store_.SetCoverage(std::make_shared<const Coverage>(next_));
  changed_ = false;
  unreadable_changed_ = false;
  left_out_changed_ = false;
}

}  // namespace kinformer::internal::cache
