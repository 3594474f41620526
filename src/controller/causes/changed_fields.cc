#include "controller/causes/changed_fields.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "object/transcode/block_text.h"

namespace kinformer::internal {
namespace {

bool IsPlain(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

class Differences {
 public:
  explicit Differences(std::vector<std::string>& fields) : fields_(fields) {}

  void Compare(const json::Value& before, const json::Value& now, const std::string& path) {
    if (fields_.size() >= kMostFields || before == now) return;
    if (before.is_object() && now.is_object()) return CompareMembers(before, now, path);
    if (before.is_array() && now.is_array() && before.size() == now.size()) {
      for (std::size_t i = 0; i < now.size(); ++i) {
        Compare(before[i], now[i], path + "[" + std::to_string(i) + "]");
      }
      return;
    }
    fields_.push_back(path);
  }

 private:
  void CompareMembers(const json::Value& before, const json::Value& now, const std::string& path) {
    for (const auto& [name, value] : now.members()) {
      Compare(before[name], value, PathBelow(path, name));
    }
    for (const auto& [name, value] : before.members()) {
      if (!now.contains(name)) Compare(value, json::Value(), PathBelow(path, name));
    }
  }

  std::vector<std::string>& fields_;
};

bool SameOwner(const json::Value& a, const json::Value& b) {
  return a["manager"] == b["manager"] && a["operation"] == b["operation"] &&
         a["subresource"] == b["subresource"];
}

// Entries whose fields have shrunk because others took them keep their time.
std::string ManagerOf(const json::Value& before, const json::Value& now) {
  std::string manager;
  std::string newest;
  for (const json::Value& entry : now.items()) {
    const json::Value* known = nullptr;
    for (const json::Value& old : before.items()) {
      if (SameOwner(old, entry)) known = &old;
    }
    if (known != nullptr && *known == entry) continue;
    const bool later = known == nullptr || (*known)["time"] != entry["time"];
    const std::string time = later ? entry["time"].StringOrEmpty() : std::string();
    if (!manager.empty() && time < newest) continue;
    manager = entry["manager"].StringOrEmpty();
    newest = time;
  }
  return manager;
}

}  // namespace

json::Value JsonOfObject(const ObjectRef& object) {
  if (!object) return {};
  return json::Parse(BlockToJson(*Unpacked(object))).value_or(json::Value());
}

std::string PathBelow(const std::string& path, const std::string& name) {
  if (IsPlain(name)) return path.empty() ? name : path + "." + name;
  return path + "[" + json::Value(name).Dump() + "]";
}

ObjectChange ChangeOf(const ObjectRef& before, const ObjectRef& now) {
  ObjectChange change;
  json::Value older = JsonOfObject(before);
  json::Value newer = JsonOfObject(now);
  change.manager =
      ManagerOf(older["metadata"]["managedFields"], newer["metadata"]["managedFields"]);
  if (!before) return change;
  for (json::Value* const object : {&older, &newer}) {
    json::Value* const metadata = object->Find("metadata");
    if (metadata == nullptr) continue;
    for (const char* const name : {"resourceVersion", "generation", "managedFields"}) {
      metadata->Erase(name);
    }
  }
  Differences(change.fields).Compare(older, newer, "");
  return change;
}

}  // namespace kinformer::internal
