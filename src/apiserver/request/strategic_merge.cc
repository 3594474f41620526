// Strategic merge patches, as the API server applies them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"
#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

struct MergeKey {
  std::string_view field;
  std::string_view key;  // empty: a set of scalars
};

// The lists of the v1 API that merge, by field name. `ports` has two meanings, which its elements
// tell apart.
constexpr std::array<MergeKey, 35> kMergeKeys = {{
    {"ownerReferences", "uid"},
    {"finalizers", ""},
    {"containers", "name"},
    {"initContainers", "name"},
    {"ephemeralContainers", "name"},
    {"env", "name"},
    {"volumes", "name"},
    {"volumeMounts", "mountPath"},
    {"volumeDevices", "devicePath"},
    {"imagePullSecrets", "name"},
    {"schedulingGates", "name"},
    {"resourceClaims", "name"},
    {"hostAliases", "ip"},
    {"topologySpreadConstraints", "topologyKey"},
    {"conditions", "type"},
    {"addresses", "type"},
    {"hostIPs", "ip"},
    {"podIPs", "ip"},
    {"podCIDRs", ""},
    {"resourceClaimStatuses", "name"},
    {"allocatedResourcesStatus", "name"},
    {"secrets", "name"},
    {"drivers", "name"},
    {"reservedFor", "uid"},
    {"webhooks", "name"},
    {"matchConditions", "name"},
    {"variables", "name"},
    {"evictionResponders", "name"},
    {"nodeAllocatableResourceClaimStatuses", "resourceClaimName"},
    {"healthConditions", "status"},
    {"mapping", "name"},
    {"overhead", "name"},
    {"storageHealth", "name"},
    {"extendedResourceClaimStatus", "name"},
    {"ports", "containerPort"},
}};

const MergeKey* FindMergeKey(std::string_view field) {
  for (const MergeKey& key : kMergeKeys) {
    if (!field.empty() && key.field == field) return &key;
  }
  return nullptr;
}

std::string_view PortKeyOf(const json::Array& elements) {
  for (const json::Value& element : elements) {
    if (element.contains("containerPort")) return "containerPort";
  }
  return "port";
}

// An apply tells some elements apart by more than a patch does, and has no directives.
enum class PatchKind : std::uint8_t { kPatch, kApply };

// Whether something is left of a value.
enum class Kept : std::uint8_t { kNo, kYes };

Result<void> MergeMap(PatchKind kind, const json::Value& patch, json::Value& document);

constexpr std::string_view kDelete = "$deleteFromPrimitiveList/";
constexpr std::string_view kOrder = "$setElementOrder/";

// What tells the elements of one list apart.
struct ElementKey {
  std::string_view member{};  // empty: the elements are scalars
  // The other half of the key, where an apply goes by two, and what it is where it is absent.
  std::string_view also{};
  std::string_view fallback{};
};

// The keys of which an apply knows more than a patch.
ElementKey CompleteKey(std::string_view field, std::string_view member) {
  if (field == "ports") return {.member = member, .also = "protocol", .fallback = "TCP"};
  if (field == "topologySpreadConstraints") {
    return {.member = member, .also = "whenUnsatisfiable"};
  }
  return {.member = member};
}

// What tells an element from the others, as a text: equal for equal keys and scalars.
std::string IdentityOf(const ElementKey& key, const json::Value& element) {
  const json::Value& value = key.member.empty() ? element : element[key.member];
  // 1, 1.0 and 1e0 are the same number.
  std::string text = value.is_number() && value.AsInt64() ? std::to_string(*value.AsInt64())
                                                          : value.Dump({.sort_keys = true});
  if (key.also.empty()) return text;
  const std::string& other = element[key.also].StringOrEmpty();
  return text.append("/").append(other.empty() ? key.fallback : other);
}

// Where the first element of each identity stands.
using Places = std::map<std::string, std::size_t>;

Places PlacesOf(const ElementKey& key, std::span<const json::Value> elements) {
  Places places;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    places.emplace(IdentityOf(key, elements[i]), i);
  }
  return places;
}

std::size_t PlaceIn(const Places& places, const std::string& identity, std::size_t unknown) {
  const auto found = places.find(identity);
  return found == places.end() ? unknown : found->second;
}

// Brings the elements that `wanted` names into that order, and the others into that of `before`;
// elements with one key in common stay beside each other. Of the others each stands before the
// first named one that it stood before in `before`: where nothing is known about two, the named one
// comes first.
void OrderElements(const ElementKey& key, const Places& wanted, const Places& before,
                   json::Array& list) {
  struct Placed {
    json::Value element;
    std::size_t rank;   // among its like
    std::size_t place;  // in `before`
  };
  constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
  std::vector<Placed> named;
  std::vector<Placed> others;
  for (json::Value& element : list) {
    const std::string identity = IdentityOf(key, element);
    const std::size_t place = PlaceIn(before, identity, kUnknown);
    const std::size_t rank = PlaceIn(wanted, identity, kUnknown);
    if (rank == kUnknown) {
      others.push_back({std::move(element), place, place});
    } else {
      named.push_back({std::move(element), rank, place});
    }
  }
  const auto by_rank = [](const Placed& a, const Placed& b) { return a.rank < b.rank; };
  std::stable_sort(named.begin(), named.end(), by_rank);
  std::stable_sort(others.begin(), others.end(), by_rank);
  json::Array out;
  auto other = others.begin();
  for (Placed& mine : named) {
    while (mine.place < kUnknown && other != others.end() && other->place < mine.place) {
      out.push_back(std::move(other++->element));
    }
    out.push_back(std::move(mine.element));
  }
  for (; other != others.end(); ++other) out.push_back(std::move(other->element));
  list = std::move(out);
}

Error NoMergeKey(std::string_view key) {
  return BadRequestError("strategic merge patch: an element lacks its merge key \"" +
                         std::string(key) + "\"");
}

Error UnknownDirective(const std::string& directive) {
  return BadRequestError("strategic merge patch: unknown $patch directive \"" + directive + "\"");
}

// What a value becomes where there is nothing of its kind to merge it into: objects with a $patch
// directive go, and so do nulls. False: that is all of it.
bool TakeFresh(json::Value& value) {
  if (json::Array* items = value.IfArray()) {
    std::erase_if(*items, [](json::Value& item) { return !TakeFresh(item); });
    return true;
  }
  json::Object* const members = value.IfObject();
  if (members == nullptr) return true;
  if (members->Find("$patch") != nullptr) return false;
  for (std::size_t i = 0; i < members->size(); ++i) {
    if (!TakeFresh(members->value(i))) members->value(i) = json::Value();
  }
  members->EraseIf([](const json::Object::Member& member) { return member.second.is_null(); });
  return true;
}

// Merges the elements of a patch into a list. Refers to what it is given.
class ListMerge {
 public:
  ListMerge(PatchKind kind, const ElementKey& key, json::Array& list)
      : kind_(kind), key_(key), list_(list) {}

  // `order`: what $setElementOrder says, or null.
  Result<void> Merge(const json::Array& patch, const json::Array* order) {
    if (Result<void> read = TakeDirectives(patch); !read) return read;
    // As a real server has it, which cuts what goes out of the list in its place and puts what is
    // new behind the rest: that is the order which it goes by afterwards.
    const std::size_t size_before = list_.size();
    if (replaced_) {
      list_.clear();
      for (const json::Value* const element : sent_) list_.push_back(*element);
      sent_.clear();
    } else if (!deleted_.empty()) {
      std::erase_if(list_, [this](const json::Value& element) {
        return deleted_.contains(IdentityOf(key_, element));
      });
    }
    const Places before = PlacesOf(key_, list_);
    if (Result<void> merged = MergeElements(before); !merged) return merged;
    Places known;
    if (order != nullptr)
      known = PlacesOf(key_, std::span(list_).first(std::min(size_before, list_.size())));
    Places sent;
    for (std::size_t i = 0; i < sent_.size(); ++i) sent.emplace(IdentityOf(key_, *sent_[i]), i);
    OrderElements(key_, sent, before, list_);
    if (order != nullptr) OrderElements(key_, PlacesOf(key_, *order), known, list_);
    return {};
  }

 private:
  // Elements that delete others, or replace the list, do so before the rest is merged, wherever
  // they stand.
  Result<void> TakeDirectives(const json::Array& patch) {
    for (const json::Value& element : patch) {
      const json::Value* const directive = key_.member.empty() ? nullptr : element.Find("$patch");
      if (directive == nullptr) {
        sent_.push_back(&element);
      } else if (directive->StringOrEmpty() == "replace") {
        replaced_ = true;
      } else if (directive->StringOrEmpty() != "delete") {
        return UnknownDirective(directive->StringOrEmpty());
      } else if (element[key_.member].is_null()) {
        return NoMergeKey(key_.member);
      } else {
        deleted_.insert(IdentityOf(key_, element));
      }
    }
    return {};
  }

  // Each into the first that has its key; the others which have it are left alone.
  Result<void> MergeElements(Places places) {
    for (const json::Value* const sent : sent_) {
      const json::Value& element = *sent;
      if (!key_.member.empty() && element[key_.member].is_null()) return NoMergeKey(key_.member);
      const auto [found, fresh] = places.emplace(IdentityOf(key_, element), list_.size());
      if (fresh) {
        list_.push_back(element);
      } else if (!key_.member.empty()) {
        if (auto merged = MergeMap(kind_, element, list_[found->second]); !merged) return merged;
      }
    }
    return {};
  }

  const PatchKind kind_;
  const ElementKey key_;
  json::Array& list_;
  // The patch's elements besides directives. No copies: lists nest, and each level would hold all
  // below it once more.
  std::vector<const json::Value*> sent_{};
  std::set<std::string> deleted_{};
  bool replaced_ = false;
};

// $retainKeys: members that it does not name go.
void RetainKeys(const json::Value& patch, json::Value& document) {
  const json::Value* retain = patch.Find("$retainKeys");
  if (retain == nullptr) return;
  std::set<std::string, std::less<>> keys;
  for (const json::Value& key : retain->items()) keys.insert(key.StringOrEmpty());
  document.EnsureObject().EraseIf(
      [&](const json::Object::Member& member) { return !keys.contains(member.first); });
}

// $deleteFromPrimitiveList: takes the scalars `gone` out of the list `field`.
void DeleteScalars(std::string_view field, const json::Value& gone, json::Value& document) {
  json::Value* list = document.Find(field);
  if (list == nullptr || !list->is_array()) return;
  const Places places = PlacesOf({}, gone.items());
  std::erase_if(list->EnsureArray(),
                [&](const json::Value& scalar) { return places.contains(IdentityOf({}, scalar)); });
}

ElementKey KeyOfElements(PatchKind kind, const MergeKey& merge, const json::Value& elements) {
  const bool scalars = !elements.items().empty() && !elements[0].is_object();
  if (scalars || merge.key.empty()) return {};
  const std::string_view member = merge.field == "ports" ? PortKeyOf(elements.items()) : merge.key;
  return kind == PatchKind::kApply ? CompleteKey(merge.field, member)
                                   : ElementKey{.member = member};
}

// What an apply declares of a list: no element of its own is another's.
Result<void> CheckDistinct(PatchKind kind, std::string_view field, const ElementKey& key,
                           const json::Array& sent) {
  if (kind != PatchKind::kApply || PlacesOf(key, sent).size() == sent.size()) return {};
  return BadRequestError("apply: two elements of the list \"" + std::string(field) +
                         "\" have the same key");
}

// A member of `patch` that is neither a directive nor null, into what stands in its place, or a
// null. False: nothing is to stand there.
Result<Kept> MergeMember(PatchKind kind, const json::Value& patch, const std::string& name,
                         const json::Value& value, json::Value& target) {
  const MergeKey* const merge = FindMergeKey(name);
  const json::Value* order = merge == nullptr ? nullptr : patch.Find(std::string(kOrder) + name);
  if (order != nullptr && !order->is_array()) order = nullptr;
  if (value.is_array() && merge != nullptr) {
    // A list that says nothing is told by what it is laid over.
    const bool silent = value.size() == 0 && target.is_array();
    const ElementKey key = KeyOfElements(kind, *merge, silent ? target : value);
    if (auto distinct = CheckDistinct(kind, name, key, value.items()); !distinct) {
      return distinct.error();
    }
    if (target.is_array()) {
      auto merged = ListMerge(kind, key, target.EnsureArray())
                        .Merge(value.items(), order == nullptr ? nullptr : &order->items());
      if (!merged) return merged.error();
      return Kept::kYes;
    }
  } else if (value.is_object() && target.is_object()) {
    if (auto merged = MergeMap(kind, value, target); !merged) return merged.error();
    return Kept::kYes;
  } else if (value.is_array() && target.is_array()) {
    target = value;
    return Kept::kYes;
  }
  target = value;
  if (!TakeFresh(target)) return Kept::kNo;
  if (order != nullptr && target.is_array()) {
    const ElementKey key = KeyOfElements(kind, *merge, value);
    OrderElements(key, PlacesOf(key, order->items()), {}, target.EnsureArray());
  }
  return Kept::kYes;
}

// The members of `patch` that are no directives, all of them in one pass. `document` is an object.
Result<void> MergeMembers(PatchKind kind, const json::Value& patch, json::Value& document) {
  std::vector<json::Object::Member> fresh;
  std::set<std::string, std::less<>> gone;
  for (const auto& [name, value] : patch.members()) {
    if (name.starts_with('$')) continue;
    if (value.is_null()) {
      gone.insert(name);
      continue;
    }
    json::Value* const there = document.Find(name);
    json::Value made;
    const Result<Kept> kept =
        MergeMember(kind, patch, name, value, there == nullptr ? made : *there);
    if (!kept) return kept.error();
    if (*kept == Kept::kNo) {
      gone.insert(name);
    } else if (there == nullptr) {
      fresh.emplace_back(name, std::move(made));
    }
  }
  json::Object& members = document.EnsureObject();
  if (!gone.empty()) {
    members.EraseIf(
        [&](const json::Object::Member& member) { return gone.contains(member.first); });
  }
  if (!fresh.empty()) members.Extend(std::move(fresh));
  return {};
}

// $setElementOrder for the list `field`, of which the patch changes no element.
void OrderList(PatchKind kind, const std::string& field, const json::Value& order,
               json::Value& document) {
  const MergeKey* merge = FindMergeKey(field);
  json::Value* list = document.Find(field);
  if (merge == nullptr || list == nullptr || !list->is_array()) return;
  const ElementKey key = KeyOfElements(kind, *merge, order.size() == 0 ? *list : order);
  OrderElements(key, PlacesOf(key, order.items()), PlacesOf(key, list->items()),
                list->EnsureArray());
}

Result<void> MergeMap(PatchKind kind, const json::Value& patch, json::Value& document) {
  if (!document.is_object()) document = json::Value::MakeObject();
  const std::string directive = patch["$patch"].StringOrEmpty();
  if (directive == "delete") {
    document = json::Value::MakeObject();
    return {};
  }
  if (directive == "replace") {
    json::Value replaced = patch;
    replaced.Erase("$patch");
    document = std::move(replaced);
    return {};
  }
  if (!directive.empty() && directive != "merge") return UnknownDirective(directive);
  RetainKeys(patch, document);
  for (const auto& [name, value] : patch.members()) {
    if (name.starts_with(kDelete)) DeleteScalars(name.substr(kDelete.size()), value, document);
  }
  if (Result<void> merged = MergeMembers(kind, patch, document); !merged) return merged;
  for (const auto& [name, value] : patch.members()) {
    if (!name.starts_with(kOrder)) continue;
    const std::string field = name.substr(kOrder.size());
    // Lists that the patch holds were ordered as they were merged.
    if (!patch[field].is_array()) OrderList(kind, field, value, document);
  }
  return {};
}

Result<void> Merge(PatchKind kind, const json::Value& patch, json::Value& document) {
  if (!patch.is_object()) return BadRequestError("a merge patch must be an object");
  return MergeMap(kind, patch, document);
}

}  // namespace

Result<void> ApplyStrategicMergePatch(const json::Value& patch, json::Value& document) {
  return Merge(PatchKind::kPatch, patch, document);
}

Result<void> ApplyDeclaredObject(const json::Value& declared, json::Value& document) {
  return Merge(PatchKind::kApply, declared, document);
}

}  // namespace kinformer::apiserver
