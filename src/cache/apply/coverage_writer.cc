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
  if (!listed.shardSelector.empty()) {
    if (!scope.conditions.empty()) scope.conditions += " and ";
    scope.shard_selector = listed.shardSelector;
    scope.conditions += "shard selector \"" + listed.shardSelector + '"';
  }
  return scope;
}

CoverageWriter::CoverageWriter(StoreCore& store) : store_(store) {
  places_.known = false;
  const Coverage* before = store_.coverage();
  if (before == nullptr) return;
  if (before->unreadable != nullptr) {
    next_.unreadable = before->unreadable;
    unreadable_ = *before->unreadable;
  }
  if (before->left_out != nullptr) {
    next_.left_out = before->left_out;
    left_out_ = *before->left_out;
  }
  if (before->namespaces != nullptr) {
    places_.places = before->namespaces->places;
    for (auto& [key, place] : places_.places) place.complete = false;
  }
}

CoverageWriter::~CoverageWriter() {
  for (auto& [key, place] : places_.places) SetComplete(place, false);
  ended_ = true;
  places_changed_ = true;
  store_.Begin();
  Publish();
  store_.Commit();
}

void CoverageWriter::SetPlaces(const std::set<std::string, std::less<>>& keys, bool all, bool known,
                               std::uint64_t epoch) {
  NamespaceSet next{.all = all, .known = known};
  incomplete_ = 0;
  for (const std::string& key : keys) {
    const auto before = places_.places.find(key);
    Place& place = next.places[key];
    if (before != places_.places.end()) {
      place = std::move(before->second);
    } else {
      place.epoch = epoch;
    }
    if (!place.complete) ++incomplete_;
  }
  places_ = std::move(next);
  places_changed_ = true;
  if (keys.contains("")) return;
  if (left_out_.KeepPlaces([&](const std::string& key) { return keys.contains(key); })) {
    left_out_changed_ = true;
  }
}

Place* CoverageWriter::PlaceOf(std::string_view key) {
  const auto found = places_.places.find(key);
  return found == places_.places.end() ? nullptr : &found->second;
}

void CoverageWriter::SetScope(std::string_view key, const Scope& scope) {
  Place* const place = PlaceOf(key);
  if (place == nullptr || (place->scope != nullptr && *place->scope == scope)) return;
  place->scope = std::make_shared<const Scope>(scope);
  places_changed_ = true;
}

void CoverageWriter::SetComplete(Place& place, bool complete) {
  if (place.complete == complete) return;
  place.complete = complete;
  complete ? --incomplete_ : ++incomplete_;
  places_changed_ = true;
}

void CoverageWriter::SetComplete(bool complete, const StorePart& part) {
  if (Place* const place = PlaceOf(part.key())) SetComplete(*place, complete);
}

void CoverageWriter::SetEpoch(const StorePart& part, std::uint64_t epoch) {
  Place* const place = PlaceOf(part.key());
  if (place == nullptr || place->epoch >= epoch) return;
  place->epoch = epoch;
  places_changed_ = true;
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

void CoverageWriter::AddLeftOut(const StorePart& part, std::string_view namespace_,
                                std::string_view name) {
  if (left_out_.Insert(part.key(), namespace_, name)) left_out_changed_ = true;
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

void CoverageWriter::PublishPlaces() {
  next_.complete = complete();
  const Place* const whole = PlaceOf("");
  if (whole == nullptr) {
    next_.scope = {};
    next_.namespaces = std::make_shared<const NamespaceSet>(places_);
    return;
  }
  next_.scope = whole->scope == nullptr ? Scope() : *whole->scope;
  next_.namespaces = nullptr;
}

void CoverageWriter::Publish() {
  if (places_changed_) PublishPlaces();
  if (unreadable_changed_) {
    next_.unreadable = unreadable_.empty() ? nullptr : std::make_shared<const NameSet>(unreadable_);
  }
  if (left_out_changed_) {
    next_.left_out = left_out_.empty() ? nullptr : std::make_shared<const LeftOut>(left_out_);
  }
  if (!places_changed_ && !unreadable_changed_ && !left_out_changed_) return;
  store_.SetCoverage(std::make_shared<const Coverage>(next_));
  places_changed_ = false;
  unreadable_changed_ = false;
  left_out_changed_ = false;
}

}  // namespace kinformer::internal::cache
