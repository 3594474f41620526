// Strategic merge patches, with the semantics of strategicpatch in k8s.io/apimachinery, including
// its errors; merge keys and strategies come from the fields' descriptors.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/descriptor.h"

#include "apiserver/errors/status.h"
#include "apiserver/request/list_order.h"
#include "apiserver/request/member_changes.h"
#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;
using internal::MessageDescriptor;
using internal::UnionKind;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetain = "$retainKeys";
constexpr std::string_view kDelete = "$deleteFromPrimitiveList";
constexpr std::string_view kOrder = "$setElementOrder";

// Whether anything of a value remains.
enum class Kept : std::uint8_t { kNo, kYes };

// Lists of the patched object that are already merged.
using Merged = std::set<std::string, std::less<>>;

// Returns the error for a patch that cannot be applied; a real server has no better code, either.
Error PatchError(std::string what) {
  return Error(Reason::kUnknown, "strategic merge patch: " + std::move(what)).WithHttpStatus(500);
}

Error NoMergeKey(std::string_view key) {
  return PatchError("an element lacks its merge key " + JsonString(key));
}

Error UnknownDirective(const json::Value& directive) {
  return PatchError("unknown $patch directive " + directive.Dump());
}

// Returns the name of the list that a directive such as `$setElementOrder/ports` refers to.
Result<std::string> ListNamed(std::string_view member, std::string_view directive) {
  const std::string_view rest = member.substr(directive.size());
  if (rest.starts_with('/')) return std::string(rest.substr(1));
  return BadRequestError("strategic merge patch: " + JsonString(member) + " is to be " +
                         std::string(directive) + "/ and the name of a list");
}

// Returns the field by which objects and lists are merged. `message`: type of the containing
// object; null if the type does not name its members, as in maps and in fields of arbitrary JSON.
Result<const FieldDescriptor*> FieldOf(const MessageDescriptor* message, std::string_view name) {
  if (message == nullptr) {
    return PatchError(JsonString(name) + " is in a map, where nothing can be merged");
  }
  const FieldDescriptor* const field = internal::FindJsonMember(*message, name);
  if (field == nullptr) {
    return PatchError(std::string(message->name) + " has no field " + JsonString(name));
  }
  return field;
}

Result<const FieldDescriptor*> ListOf(const MessageDescriptor* message, std::string_view name) {
  Result<const FieldDescriptor*> field = FieldOf(message, name);
  if (field && !(*field)->repeated) return PatchError(JsonString(name) + " is no list");
  return field;
}

// Returns the type of one value of the field, if it is an object with known members.
const MessageDescriptor* MessageOf(const FieldDescriptor& field) {
  const bool known = field.kind == FieldKind::kMessage && !field.map && field.message != nullptr &&
                     field.message->union_kind == UnionKind::kNone;
  return known ? field.message : nullptr;
}

bool Merges(const FieldDescriptor& field) {
  return field.merge_rule != nullptr && field.merge_rule->merge;
}

ElementKey KeyOf(const FieldDescriptor& field) {
  if (field.merge_rule == nullptr || field.merge_rule->merge_key.empty()) return {};
  return {.members = {field.merge_rule->merge_key}};
}

// Checks that all elements have one type, and are no lists. Returns an element, or null.
Result<const json::Value*> CommonElement(std::span<const json::Value> a,
                                         std::span<const json::Value> b) {
  const json::Value* first = nullptr;
  for (const std::span<const json::Value> list : {a, b}) {
    for (const json::Value& element : list) {
      if (first == nullptr) first = &element;
      if (element.type() != first->type()) {
        return PatchError("the elements of a list are not of one type");
      }
    }
  }
  if (first != nullptr && first->is_null()) return PatchError("an element of a list is null");
  if (first != nullptr && first->is_array()) {
    return Error(Reason::kInvalid,
                 "the server rejected our request due to an error in our request: lists of lists "
                 "are not supported")
        .WithHttpStatus(422);
  }
  return first;
}

Result<void> CheckKeys(const ElementKey& key, std::span<const json::Value> elements) {
  for (const json::Value& element : elements) {
    if (key.members.empty() || !element.contains(key.members[0])) {
      return NoMergeKey(key.members.empty() ? "" : key.members[0]);
    }
  }
  return {};
}

// Prepares a value that has no counterpart to merge with: removes nulls, and objects with a $patch
// directive. Returns false if nothing remains.
bool TakeFresh(json::Value& value) {
  if (json::Array* items = value.IfArray()) {
    std::erase_if(*items, [](json::Value& item) { return !TakeFresh(item); });
    return true;
  }
  json::Object* const members = value.IfObject();
  if (members == nullptr) return true;
  if (members->Find(kDirective) != nullptr) return false;
  members->EraseIf([](json::Object::Member& member) {
    return member.second.is_null() || !TakeFresh(member.second);
  });
  return true;
}

Result<void> MergeObject(const json::Value& patch, const MessageDescriptor* message,
                         json::Value& document);

// Merges the elements of a patch into a list of objects. Keeps references to its arguments.
class ElementMerge {
 public:
  ElementMerge(const FieldDescriptor& field, json::Array& list)
      : message_(MessageOf(field)), key_(KeyOf(field)), list_(list) {}

  // `known`: receives the places of elements, needed for a later $setElementOrder; may be null.
  Result<void> Merge(const json::Array& patch, Places* known) {
    if (key_.members.empty()) return NoMergeKey("");
    if (Result<void> read = TakeDirectives(patch); !read) return read;
    // As on a real server, which removes deleted elements in place and appends new ones: that order
    // is the base of a later $setElementOrder.
    const std::size_t size_before = list_.size();
    if (!deleted_.empty()) {
      std::erase_if(list_, [this](const json::Value& element) {
        return deleted_.contains(IdentityOf(key_, element));
      });
    }
    const Places before = PlacesOf(key_, list_);
    if (replaced_) {
      if (known != nullptr) *known = before;
      list_.clear();
      for (const json::Value* const element : sent_) list_.push_back(*element);
      return CheckKeys(key_, list_);
    }
    if (Result<void> merged = MergeElements(before); !merged) return merged;
    if (Result<void> keyed = CheckKeys(key_, list_); !keyed) return keyed;
    if (known != nullptr) {
      *known = PlacesOf(key_, std::span(list_).first(std::min(size_before, list_.size())));
    }
    Places sent;
    for (std::size_t i = 0; i < sent_.size(); ++i) sent.emplace(IdentityOf(key_, *sent_[i]), i);
    OrderElements(key_, sent, before, list_);
    return {};
  }

 private:
  // Directives that delete elements or replace the list take effect before the rest is merged,
  // wherever they are in the patch.
  Result<void> TakeDirectives(const json::Array& patch) {
    for (const json::Value& element : patch) {
      const json::Value* const directive = element.Find(kDirective);
      if (directive == nullptr) {
        sent_.push_back(&element);
      } else if (directive->StringOrEmpty() == "replace") {
        replaced_ = true;
      } else if (directive->StringOrEmpty() != "delete") {
        return UnknownDirective(*directive);
      } else if (!element.contains(key_.members[0])) {
        return NoMergeKey(key_.members[0]);
      } else {
        deleted_.insert(IdentityOf(key_, element));
      }
    }
    return {};
  }

  // Merges each element into the first one with its key; others with that key are not changed.
  Result<void> MergeElements(Places places) {
    for (const json::Value* const sent : sent_) {
      const json::Value& element = *sent;
      if (!element.contains(key_.members[0])) return NoMergeKey(key_.members[0]);
      const auto [found, fresh] = places.emplace(IdentityOf(key_, element), list_.size());
      if (fresh) {
        list_.push_back(element);
      } else if (auto merged = MergeObject(element, message_, list_[found->second]); !merged) {
        return merged;
      }
    }
    return {};
  }

  const MessageDescriptor* const message_;
  const ElementKey key_;
  json::Array& list_;
  // Elements of the patch without directives. Pointers, since copies would hold nested lists once
  // per level.
  std::vector<const json::Value*> sent_{};
  std::set<std::string> deleted_{};
  bool replaced_ = false;
};

// Merges lists of scalars as sets.
void MergeScalars(const json::Array& patch, json::Array& list) {
  Places places = PlacesOf({}, list);
  const Places before = places;
  for (const json::Value& scalar : patch) {
    if (places.emplace(IdentityOf({}, scalar), list.size()).second) list.push_back(scalar);
  }
  OrderElements({}, PlacesOf({}, patch), before, list);
}

Result<void> MergeList(const FieldDescriptor& field, const json::Array& patch, json::Array& list,
                       Places* known) {
  const Result<const json::Value*> element = CommonElement(list, patch);
  if (!element) return element.error();
  if (*element == nullptr) return {};
  if ((*element)->is_object()) return ElementMerge(field, list).Merge(patch, known);
  MergeScalars(patch, list);
  return {};
}

// $retainKeys: removes the members it does not name; the patch must not have others.
Result<void> RetainKeys(const json::Value& patch, json::Value& document) {
  const json::Value* const retain = patch.Find(kRetain);
  if (retain == nullptr) return {};
  std::set<std::string, std::less<>> keys;
  for (const json::Value& key : retain->items()) keys.insert(key.StringOrEmpty());
  const auto foreign = [&keys](const json::Object::Member& member) {
    const std::string& name = member.first;
    return !member.second.is_null() && name != kRetain && !name.starts_with(kDelete) &&
           !name.starts_with(kOrder) && !keys.contains(name);
  };
  if (!retain->is_array() || std::ranges::any_of(patch.members(), foreign)) {
    return BadRequestError(
        "strategic merge patch: $retainKeys is to be a list that names all members beside it");
  }
  document.EnsureObject().EraseIf(
      [&](const json::Object::Member& member) { return !keys.contains(member.first); });
  return {};
}

// Checks that the sent elements all occur in `order`, and in the same order.
Result<void> CheckOrder(const ElementKey& key, const json::Array& sent, const json::Array& order) {
  if (sent.empty() || order.empty()) return {};
  std::size_t next = 0;
  std::size_t at = 0;
  const auto deletes = [&sent](std::size_t i) {
    return sent[i][kDirective].StringOrEmpty() == "delete";
  };
  const auto skip = [&] {
    while (next < sent.size() && deletes(next)) ++next;
  };
  for (skip(); next < sent.size() && at < order.size(); skip()) {
    if (sent[next].contains(kDirective)) {
      ++next;
      continue;
    }
    for (const json::Value* const element : {&sent[next], &order[at]}) {
      if (element->is_object() == key.members.empty()) return NoMergeKey("");
      if (!key.members.empty() && !element->contains(key.members[0])) {
        return NoMergeKey(key.members[0]);
      }
    }
    if (IdentityOf(key, sent[next]) == IdentityOf(key, order[at])) ++next;
    ++at;
  }
  if (next == sent.size()) return {};
  return PatchError("the elements of a list are not those of its $setElementOrder, in that order");
}

// Merges one $setElementOrder and the patch's elements for its list. Returns the list's name.
Result<std::string> MergeOrdered(std::string_view directive, const json::Value& order,
                                 const json::Value& patch, const MessageDescriptor* message,
                                 json::Value& document) {
  Result<std::string> name = ListNamed(directive, kOrder);
  if (!name) return name;
  const json::Value* const sent = patch.Find(*name);
  json::Value* const there = document.Find(*name);
  if (!order.is_array() || (sent != nullptr && !sent->is_array()) ||
      (there != nullptr && !there->is_array())) {
    return PatchError(JsonString(*name) + " and its $setElementOrder are to be lists");
  }
  const Result<const FieldDescriptor*> field = ListOf(message, *name);
  if (!field) return field.error();
  const ElementKey key = KeyOf(**field);
  static const json::Array kNothing;
  const json::Array& patched = sent == nullptr ? kNothing : sent->items();
  if (auto checked = CheckOrder(key, patched, order.items()); !checked) return checked.error();
  if (sent == nullptr && there == nullptr) return name;

  const Result<const json::Value*> element =
      CommonElement(there == nullptr ? kNothing : there->items(), patched);
  if (!element) return element.error();
  if (*element == nullptr) return PatchError(JsonString(*name) + " has no elements to order");
  const bool objects = (*element)->is_object();
  if (objects == key.members.empty()) return NoMergeKey("");
  Places known = there == nullptr ? Places() : PlacesOf(key, there->items());
  if (there == nullptr) {
    json::Value fresh = *sent;
    TakeFresh(fresh);
    document.Set(*name, std::move(fresh));
  } else if (sent != nullptr && Merges(**field)) {
    if (auto merged = MergeList(**field, patched, there->EnsureArray(), &known); !merged) {
      return merged.error();
    }
  } else if (sent != nullptr) {
    *there = *sent;
  }
  json::Array& list = document.Ensure(*name).EnsureArray();
  if (objects) {
    if (auto keyed = CheckKeys(key, order.items()); !keyed) return keyed.error();
    if (auto keyed = CheckKeys(key, list); !keyed) return keyed.error();
  }
  OrderElements(key, PlacesOf(key, order.items()), known, list);
  return name;
}

// $deleteFromPrimitiveList: removes scalars from a list.
Result<void> DeleteScalars(std::string_view directive, const json::Value& gone,
                           const MessageDescriptor* message, json::Value& document) {
  const Result<std::string> name = ListNamed(directive, kDelete);
  if (!name) return name.error();
  if (gone.is_null()) document.Erase(*name);
  json::Value* const list = document.Find(*name);
  if (list == nullptr || !list->is_array() || !gone.is_array()) return {};
  const Result<const FieldDescriptor*> field = ListOf(message, *name);
  if (!field) return field.error();
  const Result<const json::Value*> element = CommonElement(list->items(), gone.items());
  if (!element) return element.error();
  if (*element == nullptr) return {};
  if ((*element)->is_object()) {
    return MergeList(**field, gone.items(), list->EnsureArray(), nullptr);
  }
  const Places places = PlacesOf({}, gone.items());
  std::erase_if(list->EnsureArray(),
                [&](const json::Value& scalar) { return places.contains(IdentityOf({}, scalar)); });
  return {};
}

// Merges a member that is no directive into the target's value.
Result<Kept> MergeMember(const json::Value& value, std::string_view name,
                         const MessageDescriptor* message, json::Value& target) {
  if (value.is_object() && target.is_object()) {
    const Result<const FieldDescriptor*> field = FieldOf(message, name);
    if (!field) return field.error();
    if (auto merged = MergeObject(value, MessageOf(**field), target); !merged) {
      return merged.error();
    }
    return Kept::kYes;
  }
  if (value.is_array() && target.is_array()) {
    const Result<const FieldDescriptor*> field = ListOf(message, name);
    if (!field) return field.error();
    if (!Merges(**field)) {
      target = value;
    } else if (auto merged = MergeList(**field, value.items(), target.EnsureArray(), nullptr);
               !merged) {
      return merged.error();
    }
    return Kept::kYes;
  }
  target = value;
  return TakeFresh(target) ? Kept::kYes : Kept::kNo;
}

bool IsDirective(std::string_view name) {
  return name == kRetain || name.starts_with(kDelete) || name.starts_with(kOrder);
}

// Merges the members that are no directives and not yet merged, all of them in one pass.
Result<void> MergeMembers(const json::Value& patch, const MessageDescriptor* message,
                          const Merged& merged, json::Value& document) {
  MemberChanges changes;
  for (const auto& [name, value] : patch.members()) {
    if (IsDirective(name) || merged.contains(name)) continue;
    if (value.is_null()) {
      changes.Erase(name);
      continue;
    }
    json::Value* const there = document.Find(name);
    json::Value made;
    const Result<Kept> kept = MergeMember(value, name, message, there == nullptr ? made : *there);
    if (!kept) return kept.error();
    if (*kept == Kept::kNo) {
      changes.Erase(name);
    } else if (there == nullptr) {
      changes.Add(name, std::move(made));
    }
  }
  std::move(changes).ApplyTo(document);
  return {};
}

Result<void> MergeObject(const json::Value& patch, const MessageDescriptor* message,
                         json::Value& document) {
  if (const json::Value* const directive = patch.Find(kDirective); directive != nullptr) {
    if (directive->StringOrEmpty() == "delete") {
      document = json::Value::MakeObject();
    } else if (directive->StringOrEmpty() == "replace") {
      json::Value replaced = patch;
      replaced.Erase(kDirective);
      document = std::move(replaced);
    } else {
      return UnknownDirective(*directive);
    }
    return {};
  }
  if (Result<void> retained = RetainKeys(patch, document); !retained) return retained;
  // Merges lists with an order first, so that deletions from them are applied later.
  Merged lists;
  for (const auto& [name, value] : patch.members()) {
    if (!name.starts_with(kOrder)) continue;
    Result<std::string> list = MergeOrdered(name, value, patch, message, document);
    if (!list) return list.error();
    lists.insert(*std::move(list));
  }
  for (const auto& [name, value] : patch.members()) {
    if (!name.starts_with(kDelete)) continue;
    if (auto done = DeleteScalars(name, value, message, document); !done) return done;
  }
  return MergeMembers(patch, message, lists, document);
}

}  // namespace

Result<void> ApplyStrategicMergePatch(const json::Value& patch, const MessageDescriptor* message,
                                      json::Value& document) {
  if (!patch.is_object()) return BadRequestError("a merge patch must be an object");
  return MergeObject(patch, message, document);
}

}  // namespace kinformer::apiserver
