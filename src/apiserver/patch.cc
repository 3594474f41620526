#include "apiserver/patch.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/status.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxOperations = 10'000;
// What the copies of one patch may add together: copies of copies grow without end. As on real servers.
constexpr std::size_t kMaxCopied = std::size_t{3} << 20;

Error Rejected(const std::string& why) {
  Error error(Reason::kInvalid,
              "the server rejected our request due to an error in our request: " + why);
  error.WithHttpStatus(422);
  return error;
}

// ---- strategic merge

struct MergeKey {
  std::string_view field;
  std::string_view key;  // empty: a set of scalars
};

// The lists of the v1 API that merge, by field name. `ports` has two meanings, which its elements tell apart.
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

Result<void> MergeMap(const json::Value& patch, json::Value& document);

bool SameElement(std::string_view key, const json::Value& a, const json::Value& b) {
  return key.empty() ? a == b : a[key] == b[key];
}

bool Holds(std::string_view key, const json::Array& list, const json::Value& element) {
  return std::any_of(list.begin(), list.end(),
                     [&](const json::Value& other) { return SameElement(key, other, element); });
}

// Brings the elements that `order` names into that order. The others keep theirs, and each stands before the first named one that
// it stood before in `before`: where nothing is known about two, the named one comes first.
void OrderElements(std::string_view key, const json::Array& order, const json::Array& before,
                   json::Array& list) {
  json::Array named;
  for (const json::Value& wanted : order) {
    for (const json::Value& element : list) {
      if (SameElement(key, element, wanted) && !Holds(key, named, element)) {
        named.push_back(element);
      }
    }
  }
  json::Array others;
  for (json::Value& element : list) {
    if (!Holds(key, order, element)) others.push_back(std::move(element));
  }
  const auto place = [&](const json::Value& element) {
    const auto found = std::find_if(before.begin(), before.end(), [&](const json::Value& other) {
      return SameElement(key, other, element);
    });
    return found - before.begin();
  };
  const auto unknown = static_cast<std::ptrdiff_t>(before.size());
  json::Array out;
  auto other = others.begin();
  for (json::Value& element : named) {
    const std::ptrdiff_t mine = place(element);
    while (mine < unknown && other != others.end() && place(*other) < mine) {
      out.push_back(std::move(*other++));
    }
    out.push_back(std::move(element));
  }
  std::move(other, others.end(), std::back_inserter(out));
  list = std::move(out);
}

Result<void> MergeMap(const json::Value& patch, json::Value& document);

// `order`: what $setElementOrder says; without it the patch's own order counts.
Result<void> MergeList(std::string_view key, const json::Array& patch, const json::Array* order,
                       json::Array& list) {
  for (const json::Value& element : patch) {
    if (element["$patch"].StringOrEmpty() == "replace") {
      json::Array replaced;
      for (const json::Value& other : patch) {
        if (!other.contains("$patch")) replaced.push_back(other);
      }
      list = std::move(replaced);
      return {};
    }
  }
  const json::Array before = list;
  json::Array sent;
  for (const json::Value& element : patch) {
    if (key.empty()) {
      if (std::find(list.begin(), list.end(), element) == list.end()) list.push_back(element);
      sent.push_back(element);
      continue;
    }
    const json::Value& wanted = element[key];
    if (wanted.is_null()) {
      return BadRequestError("strategic merge patch: an element lacks its merge key \"" +
                             std::string(key) + "\"");
    }
    const auto same = [&](const json::Value& other) { return other[key] == wanted; };
    if (element["$patch"].StringOrEmpty() == "delete") {
      std::erase_if(list, same);
      continue;
    }
    sent.push_back(element);
    const auto found = std::find_if(list.begin(), list.end(), same);
    if (found == list.end()) {
      json::Value fresh = json::Value::MakeObject();
      if (Result<void> merged = MergeMap(element, fresh); !merged) return merged;
      list.push_back(std::move(fresh));
    } else if (Result<void> merged = MergeMap(element, *found); !merged) {
      return merged;
    }
  }
  OrderElements(key, order == nullptr ? sent : *order, before, list);
  return {};
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
  if (const json::Value* retain = patch.Find("$retainKeys")) {
    const json::Array& keys = retain->items();
    std::vector<std::string> drop;
    for (const auto& [name, value] : document.members()) {
      if (std::find(keys.begin(), keys.end(), json::Value(name)) == keys.end())
        drop.push_back(name);
    }
    for (const std::string& name : drop) document.Erase(name);
  }
  constexpr std::string_view kDelete = "$deleteFromPrimitiveList/";
  constexpr std::string_view kOrder = "$setElementOrder/";
  for (const auto& [name, value] : patch.members()) {
    if (name.starts_with(kDelete)) {
      if (json::Value* list = document.Find(name.substr(kDelete.size()))) {
        for (const json::Value& gone : value.items()) std::erase(list->EnsureArray(), gone);
      }
    }
    if (name.starts_with('$')) continue;
    if (value.is_null()) {
      document.Erase(name);
    } else if (value.is_object()) {
      if (Result<void> merged = MergeMap(value, document[name]); !merged) return merged;
    } else if (const MergeKey* merge = FindMergeKey(name); merge != nullptr && value.is_array()) {
      json::Array& list = document[name].EnsureArray();
      const bool scalars = !value.items().empty() && !value[0].is_object();
      const std::string_view key = scalars ? std::string_view() : KeyOf(*merge, value.items());
      const json::Value* order = patch.Find(std::string(kOrder) + name);
      Result<void> merged =
          MergeList(key, value.items(), order == nullptr ? nullptr : &order->items(), list);
      if (!merged) return merged;
    } else {
      document.Set(name, value);
    }
  }
  for (const auto& [name, value] : patch.members()) {
    if (!name.starts_with(kOrder)) continue;
    const std::string field = name.substr(kOrder.size());
    if (patch[field].is_array()) continue;  // ordered as it was merged
    const MergeKey* merge = FindMergeKey(field);
    json::Value* list = document.Find(field);
    if (merge == nullptr || list == nullptr || !list->is_array()) continue;
    const bool scalars = !value.items().empty() && !value[0].is_object();
    const json::Array before = list->items();
    OrderElements(scalars ? std::string_view() : KeyOf(*merge, value.items()), value.items(),
                  before, list->EnsureArray());
  }
  return {};
}

// ---- RFC 6902

// `copied`: the size of all copies so far.
Result<void> ApplyOperation(const json::Value& operation, json::Value& document,
                            std::size_t& copied) {
  const std::string& op = operation["op"].StringOrEmpty();
  const std::string& path = operation["path"].StringOrEmpty();
  const auto fail = [&](std::string_view why) {
    return Rejected("json patch operation " + op + " at \"" + path + "\": " + std::string(why));
  };
  const auto insert = [&](json::Value value) -> Result<void> {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) {
      document = std::move(value);
      return {};
    }
    json::Value* parent = document.FindPointer(path.substr(0, slash));
    if (parent == nullptr) return fail("its parent does not exist");
    if (json::Array* array = parent->IfArray()) {
      const std::string token = path.substr(slash + 1);
      std::size_t index = array->size();
      if (token != "-") {
        if (token.empty() || token.find_first_not_of("0123456789") != std::string::npos ||
            token.size() > 9) {
          return fail("not an index");
        }
        index = std::stoul(token);
      }
      if (index > array->size()) return fail("the index is past the end");
      array->insert(array->begin() + static_cast<std::ptrdiff_t>(index), std::move(value));
      return {};
    }
    if (!parent->is_object()) return fail("its parent is neither an object nor an array");
    return document.SetPointer(path, std::move(value));
  };

  if (op == "test") {
    const json::Value* found = document.FindPointer(path);
    if (found == nullptr || !(*found == operation["value"])) return fail("the value is another");
    return {};
  }
  if (op == "add") return insert(operation["value"]);
  if (op == "replace" || op == "remove") {
    json::Value* found = document.FindPointer(path);
    if (op == "replace" && found == nullptr && path.find('/') != std::string::npos) {
      // As the real server has it, and against RFC 6902: a member that is not there is added.
      const json::Value* parent = document.FindPointer(path.substr(0, path.rfind('/')));
      if (parent != nullptr && parent->is_object()) return insert(operation["value"]);
    }
    if (found == nullptr) return fail("there is no such value");
    if (op == "remove") return document.ErasePointer(path);
    *found = operation["value"];
    return {};
  }
  if (op == "move" || op == "copy") {
    const std::string& from = operation["from"].StringOrEmpty();
    json::Value* found = document.FindPointer(from);
    if (found == nullptr) return fail("there is nothing at \"" + from + "\"");
    if (op == "move") {
      json::Value value = std::move(*found);
      if (Result<void> erased = document.ErasePointer(from); !erased) return erased;
      return insert(std::move(value));
    }
    copied += found->Dump().size();
    if (copied > kMaxCopied) {
      return fail("the copies in this patch add more than " + std::to_string(kMaxCopied) +
                  " bytes");
    }
    return insert(*found);
  }
  return fail("unknown operation");
}

}  // namespace

Result<void> ApplyJsonPatch(const json::Value& patch, json::Value& document) {
  if (!patch.is_array()) return BadRequestError("a JSON patch must be an array of operations");
  if (patch.size() > kMaxOperations) {
    Error error(
        Reason::kRequestEntityTooLarge,
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000");
    error.WithHttpStatus(413);
    return error;
  }
  std::size_t copied = 0;
  for (const json::Value& operation : patch.items()) {
    if (Result<void> applied = ApplyOperation(operation, document, copied); !applied) {
      if (applied.error().reason() == Reason::kInvalid) return applied;
      return Rejected(applied.error().message());
    }
  }
  return {};
}

Result<void> ApplyStrategicMergePatch(const json::Value& patch, json::Value& document) {
  if (!patch.is_object()) return BadRequestError("a merge patch must be an object");
  return MergeMap(patch, document);
}

}  // namespace kinformer::apiserver
