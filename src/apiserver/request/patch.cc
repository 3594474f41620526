#include "apiserver/request/patch.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxOperations = 10'000;
// What the copies of one patch may add together: copies of copies grow without end. As on real
// servers.
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

bool SameElement(std::string_view key, const json::Value& a, const json::Value& b) {
  return key.empty() ? a == b : a[key] == b[key];
}

bool Holds(std::string_view key, const json::Array& list, const json::Value& element) {
  return std::any_of(list.begin(), list.end(),
                     [&](const json::Value& other) { return SameElement(key, other, element); });
}

// Brings the elements that `order` names into that order. The others keep theirs, and each stands
// before the first named one that it stood before in `before`: where nothing is known about two,
// the named one comes first.
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

// `sent`: the elements so far that the patch did not delete.
Result<void> MergeElement(std::string_view key, const json::Value& element, json::Array& list,
                          json::Array& sent) {
  if (key.empty()) {
    if (std::find(list.begin(), list.end(), element) == list.end()) list.push_back(element);
    sent.push_back(element);
    return {};
  }
  const json::Value& wanted = element[key];
  if (wanted.is_null()) {
    return BadRequestError("strategic merge patch: an element lacks its merge key \"" +
                           std::string(key) + "\"");
  }
  const auto same = [&](const json::Value& other) { return other[key] == wanted; };
  if (element["$patch"].StringOrEmpty() == "delete") {
    std::erase_if(list, same);
    return {};
  }
  sent.push_back(element);
  const auto found = std::find_if(list.begin(), list.end(), same);
  if (found != list.end()) return MergeMap(element, *found);
  json::Value fresh = json::Value::MakeObject();
  if (Result<void> merged = MergeMap(element, fresh); !merged) return merged;
  list.push_back(std::move(fresh));
  return {};
}

// `order`: what $setElementOrder says; without it the patch's own order counts.
Result<void> MergeList(std::string_view key, const json::Array& patch, const json::Array* order,
                       json::Array& list) {
  if (ReplacesList(patch)) {
    list = WithoutDirectives(patch);
    return {};
  }
  const json::Array before = list;
  json::Array sent;
  for (const json::Value& element : patch) {
    if (Result<void> merged = MergeElement(key, element, list, sent); !merged) return merged;
  }
  OrderElements(key, order == nullptr ? sent : *order, before, list);
  return {};
}

constexpr std::string_view kDelete = "$deleteFromPrimitiveList/";
constexpr std::string_view kOrder = "$setElementOrder/";

// $retainKeys: members that it does not name go.
void RetainKeys(const json::Value& patch, json::Value& document) {
  const json::Value* retain = patch.Find("$retainKeys");
  if (retain == nullptr) return;
  const json::Array& keys = retain->items();
  std::vector<std::string> drop;
  for (const auto& [name, value] : document.members()) {
    if (std::find(keys.begin(), keys.end(), json::Value(name)) == keys.end()) drop.push_back(name);
  }
  for (const std::string& name : drop) document.Erase(name);
}

// $deleteFromPrimitiveList: takes the scalars `gone` out of the list `field`.
void DeleteScalars(std::string_view field, const json::Value& gone, json::Value& document) {
  json::Value* list = document.Find(field);
  if (list == nullptr) return;
  for (const json::Value& scalar : gone.items()) std::erase(list->EnsureArray(), scalar);
}

// A member of `patch` that is no directive.
Result<void> MergeMember(const json::Value& patch, const std::string& name,
                         const json::Value& value, json::Value& document) {
  if (value.is_null()) {
    document.Erase(name);
    return {};
  }
  if (value.is_object()) return MergeMap(value, document[name]);
  const MergeKey* merge = FindMergeKey(name);
  if (merge == nullptr || !value.is_array()) {
    document.Set(name, value);
    return {};
  }
  const json::Value* order = patch.Find(std::string(kOrder) + name);
  return MergeList(KeyOfElements(*merge, value), value.items(),
                   order == nullptr ? nullptr : &order->items(), document[name].EnsureArray());
}

// $setElementOrder for the list `field`, of which the patch changes no element.
void OrderList(const std::string& field, const json::Value& order, json::Value& document) {
  const MergeKey* merge = FindMergeKey(field);
  json::Value* list = document.Find(field);
  if (merge == nullptr || list == nullptr || !list->is_array()) return;
  const json::Array before = list->items();
  OrderElements(KeyOfElements(*merge, order), order.items(), before, list->EnsureArray());
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
    if (name.starts_with('$')) continue;
    if (Result<void> merged = MergeMember(patch, name, value, document); !merged) return merged;
  }
  for (const auto& [name, value] : patch.members()) {
    if (!name.starts_with(kOrder)) continue;
    const std::string field = name.substr(kOrder.size());
    // Lists that the patch holds were ordered as they were merged.
    if (!patch[field].is_array()) OrderList(field, value, document);
  }
  return {};
}

// ---- RFC 6902

// Where an element is inserted into an array of `size` elements: "-" is its end.
std::optional<std::size_t> InsertionIndex(const std::string& token, std::size_t size) {
  if (token == "-") return size;
  if (token.empty() || token.find_first_not_of("0123456789") != std::string::npos ||
      token.size() > 9) {
    return std::nullopt;
  }
  return std::stoul(token);
}

// One operation of a patch. It refers to all that it is given.
class Operation {
 public:
  // `copied`: the size of all copies so far.
  Operation(const json::Value& operation, json::Value& document, std::size_t& copied)
      : operation_(operation),
        op_(operation["op"].StringOrEmpty()),
        path_(operation["path"].StringOrEmpty()),
        document_(document),
        copied_(copied) {}

  Result<void> Apply() {
    if (op_ == "test") return Test();
    if (op_ == "add") return Insert(operation_["value"]);
    if (op_ == "replace") return Replace();
    if (op_ == "remove") return Remove();
    if (op_ == "move") return Move();
    if (op_ == "copy") return Copy();
    return Fail("unknown operation");
  }

 private:
  Error Fail(std::string_view why) const {
    return Rejected("json patch operation " + op_ + " at \"" + path_ + "\": " + std::string(why));
  }

  Result<void> Insert(json::Value value) {
    const std::size_t slash = path_.rfind('/');
    if (slash == std::string::npos) {
      document_ = std::move(value);
      return {};
    }
    json::Value* parent = document_.FindPointer(path_.substr(0, slash));
    if (parent == nullptr) return Fail("its parent does not exist");
    if (json::Array* array = parent->IfArray()) {
      const auto index = InsertionIndex(path_.substr(slash + 1), array->size());
      if (!index) return Fail("not an index");
      if (*index > array->size()) return Fail("the index is past the end");
      array->insert(array->begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
      return {};
    }
    if (!parent->is_object()) return Fail("its parent is neither an object nor an array");
    return document_.SetPointer(path_, std::move(value));
  }

  Result<void> Test() const {
    const json::Value* found = document_.FindPointer(path_);
    if (found == nullptr || !(*found == operation_["value"])) return Fail("the value is another");
    return {};
  }

  Result<void> Replace() {
    if (json::Value* found = document_.FindPointer(path_)) {
      *found = operation_["value"];
      return {};
    }
    if (path_.find('/') != std::string::npos) {
      // As the real server has it, and against RFC 6902: a member that is not there is added.
      const json::Value* parent = document_.FindPointer(path_.substr(0, path_.rfind('/')));
      if (parent != nullptr && parent->is_object()) return Insert(operation_["value"]);
    }
    return Fail("there is no such value");
  }

  Result<void> Remove() {
    if (document_.FindPointer(path_) == nullptr) return Fail("there is no such value");
    return document_.ErasePointer(path_);
  }

  Result<void> Move() {
    const std::string& from = operation_["from"].StringOrEmpty();
    json::Value* found = document_.FindPointer(from);
    if (found == nullptr) return NothingAt(from);
    json::Value value = std::move(*found);
    if (Result<void> erased = document_.ErasePointer(from); !erased) return erased;
    return Insert(std::move(value));
  }

  Result<void> Copy() {
    const std::string& from = operation_["from"].StringOrEmpty();
    const json::Value* found = document_.FindPointer(from);
    if (found == nullptr) return NothingAt(from);
    copied_ += found->Dump().size();
    if (copied_ > kMaxCopied) {
      return Fail("the copies in this patch add more than " + std::to_string(kMaxCopied) +
                  " bytes");
    }
    return Insert(*found);
  }

  Error NothingAt(const std::string& from) const {
    return Fail("there is nothing at \"" + from + "\"");
  }

  const json::Value& operation_;
  const std::string& op_;
  const std::string& path_;
  json::Value& document_;
  std::size_t& copied_;
};

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
    if (Result<void> applied = Operation(operation, document, copied).Apply(); !applied) {
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
