// Strategic merge patches, as the API server applies them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
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

std::string_view KeyOf(const MergeKey& merge, const json::Array& elements) {
  if (merge.field != "ports") return merge.key;
  for (const json::Value& element : elements) {
    if (element.contains("containerPort")) return "containerPort";
  }
  return "port";
}

// The key of these elements: none if they are scalars.
std::string_view KeyOfElements(const MergeKey& merge, const json::Value& elements) {
  const bool scalars = !elements.items().empty() && !elements[0].is_object();
  return scalars ? std::string_view() : KeyOf(merge, elements.items());
}

// What tells an element from the others, as a text: equal for equal keys and scalars.
std::string IdentityOf(std::string_view key, const json::Value& element) {
  const json::Value& value = key.empty() ? element : element[key];
  // 1, 1.0 and 1e0 are the same number.
  if (value.is_number() && value.AsInt64()) return std::to_string(*value.AsInt64());
  return value.Dump({.sort_keys = true});
}

// Where the first element of each identity stands.
using Places = std::map<std::string, std::size_t>;

Places PlacesOf(std::string_view key, const json::Array& elements) {
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

// Brings the elements that `order` names into that order. The others keep theirs, and each stands
// before the first named one that it stood before in `before`: where nothing is known about two,
// the named one comes first.
void OrderElements(std::string_view key, const json::Array& order, const Places& before,
                   json::Array& list) {
  struct Placed {
    json::Value element;
    std::size_t place;  // in `before`
  };
  constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
  const Places wanted = PlacesOf(key, order);
  std::vector<std::optional<Placed>> named(order.size());
  std::vector<Placed> others;
  for (json::Value& element : list) {
    const std::string identity = IdentityOf(key, element);
    const std::size_t place = PlaceIn(before, identity, kUnknown);
    const auto found = wanted.find(identity);
    if (found == wanted.end()) {
      others.push_back({std::move(element), place});
    } else if (!named[found->second]) {
      named[found->second] = Placed{std::move(element), place};
    }
  }
  json::Array out;
  auto other = others.begin();
  for (std::optional<Placed>& mine : named) {
    if (!mine) continue;
    while (mine->place < kUnknown && other != others.end() && other->place < mine->place) {
      out.push_back(std::move(other++->element));
    }
    out.push_back(std::move(mine->element));
  }
  for (; other != others.end(); ++other) out.push_back(std::move(other->element));
  list = std::move(out);
}

Result<void> MergeMap(const json::Value& patch, json::Value& document);

bool ReplacesList(const json::Array& patch) {
  return std::any_of(patch.begin(), patch.end(), [](const json::Value& element) {
    return element["$patch"].StringOrEmpty() == "replace";
  });
}

// What a patch that replaces the list leaves of it: its own elements without the directives.
json::Array WithoutDirectives(const json::Array& patch) {
  json::Array out;
  std::copy_if(patch.begin(), patch.end(), std::back_inserter(out),
               [](const json::Value& element) { return !element.contains("$patch"); });
  return out;
}

// Merges the elements of a patch into a list, one by one. Refers to what it is given.
class ListMerge {
 public:
  ListMerge(std::string_view key, json::Array& list)
      : key_(key), list_(list), before_(PlacesOf(key, list)), places_(before_) {}

  Result<void> Merge(const json::Value& element) {
    if (!key_.empty() && element[key_].is_null()) {
      return BadRequestError("strategic merge patch: an element lacks its merge key \"" +
                             std::string(key_) + "\"");
    }
    const std::string identity = IdentityOf(key_, element);
    if (!key_.empty() && element["$patch"].StringOrEmpty() == "delete") {
      places_.erase(identity);
      deleted_.insert_or_assign(identity, list_.size());
      return {};
    }
    sent_.push_back(element);
    const auto [found, fresh] = places_.emplace(identity, list_.size());
    if (!fresh) return key_.empty() ? Result<void>() : MergeMap(element, list_[found->second]);
    if (key_.empty()) {
      list_.push_back(element);
      return {};
    }
    json::Value made = json::Value::MakeObject();
    if (Result<void> merged = MergeMap(element, made); !merged) return merged;
    list_.push_back(std::move(made));
    return {};
  }

  // `order`: what $setElementOrder says; without it the patch's own order counts.
  void Finish(const json::Array* order) {
    if (!deleted_.empty()) EraseDeleted();
    OrderElements(key_, order == nullptr ? sent_ : *order, before_, list_);
  }

 private:
  void EraseDeleted() {
    json::Array kept;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      const auto found = deleted_.find(IdentityOf(key_, list_[i]));
      // What was added after it was deleted stays.
      if (found == deleted_.end() || i >= found->second) kept.push_back(std::move(list_[i]));
    }
    list_ = std::move(kept);
  }

  const std::string_view key_;
  json::Array& list_;
  const Places before_;
  Places places_;                                 // in list_ as it is now
  std::map<std::string, std::size_t> deleted_{};  // how long list_ was then
  json::Array sent_{};                            // elements that the patch did not delete
};

Result<void> MergeList(std::string_view key, const json::Array& patch, const json::Array* order,
                       json::Array& list) {
  if (ReplacesList(patch)) {
    list = WithoutDirectives(patch);
    return {};
  }
  ListMerge merge(key, list);
  for (const json::Value& element : patch) {
    if (Result<void> merged = merge.Merge(element); !merged) return merged;
  }
  merge.Finish(order);
  return {};
}

constexpr std::string_view kDelete = "$deleteFromPrimitiveList/";
constexpr std::string_view kOrder = "$setElementOrder/";

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
  if (list == nullptr) return;
  const Places places = PlacesOf({}, gone.items());
  std::erase_if(list->EnsureArray(),
                [&](const json::Value& scalar) { return places.contains(IdentityOf({}, scalar)); });
}

// A member of `patch` that is neither a directive nor null, into what stands in its place.
Result<void> MergeMember(const json::Value& patch, const std::string& name,
                         const json::Value& value, json::Value& target) {
  if (value.is_object()) return MergeMap(value, target);
  const MergeKey* merge = FindMergeKey(name);
  if (merge == nullptr || !value.is_array()) {
    target = value;
    return {};
  }
  const json::Value* order = patch.Find(std::string(kOrder) + name);
  return MergeList(KeyOfElements(*merge, value), value.items(),
                   order == nullptr ? nullptr : &order->items(), target.EnsureArray());
}

// The members of `patch` that are no directives, all of them in one pass. `document` is an object.
Result<void> MergeMembers(const json::Value& patch, json::Value& document) {
  std::vector<json::Object::Member> fresh;
  bool nulls = false;
  for (const auto& [name, value] : patch.members()) {
    if (name.starts_with('$')) continue;
    if (value.is_null()) {
      nulls = true;
      continue;
    }
    json::Value* target = document.Find(name);
    if (target == nullptr) target = &fresh.emplace_back(name, json::Value()).second;
    if (Result<void> merged = MergeMember(patch, name, value, *target); !merged) return merged;
  }
  json::Object& members = document.EnsureObject();
  if (nulls) {
    members.EraseIf([&](const json::Object::Member& member) {
      const json::Value* change =
          member.first.starts_with('$') ? nullptr : patch.Find(member.first);
      return change != nullptr && change->is_null();
    });
  }
  if (!fresh.empty()) members.Extend(std::move(fresh));
  return {};
}

// $setElementOrder for the list `field`, of which the patch changes no element.
void OrderList(const std::string& field, const json::Value& order, json::Value& document) {
  const MergeKey* merge = FindMergeKey(field);
  json::Value* list = document.Find(field);
  if (merge == nullptr || list == nullptr || !list->is_array()) return;
  const std::string_view key = KeyOfElements(*merge, order);
  OrderElements(key, order.items(), PlacesOf(key, list->items()), list->EnsureArray());
}

Result<void> MergeMap(const json::Value& patch, json::Value& document) {
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
  if (!directive.empty() && directive != "merge") {
    return BadRequestError("strategic merge patch: unknown $patch directive \"" + directive + "\"");
  }
  RetainKeys(patch, document);
  for (const auto& [name, value] : patch.members()) {
    if (name.starts_with(kDelete)) DeleteScalars(name.substr(kDelete.size()), value, document);
  }
  if (Result<void> merged = MergeMembers(patch, document); !merged) return merged;
  for (const auto& [name, value] : patch.members()) {
    if (!name.starts_with(kOrder)) continue;
    const std::string field = name.substr(kOrder.size());
    // Lists that the patch holds were ordered as they were merged.
    if (!patch[field].is_array()) OrderList(field, value, document);
  }
  return {};
}

}  // namespace

Result<void> ApplyStrategicMergePatch(const json::Value& patch, json::Value& document) {
  if (!patch.is_object()) return BadRequestError("a merge patch must be an object");
  return MergeMap(patch, document);
}

}  // namespace kinformer::apiserver
