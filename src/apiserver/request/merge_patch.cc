// Merge patches, as the API server applies them.

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"
#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

// Takes nulls out of objects, those in lists among them.
void DropNulls(json::Value& value) {
  if (json::Array* const items = value.IfArray()) {
    for (json::Value& item : *items) DropNulls(item);
  }
  json::Object* const members = value.IfObject();
  if (members == nullptr) return;
  members->EraseIf([](const json::Object::Member& member) { return member.second.is_null(); });
  for (std::size_t i = 0; i < members->size(); ++i) DropNulls(members->value(i));
}

// `object` and `patch` are objects.
void MergeInto(const json::Value& patch, json::Value& object) {
  std::vector<json::Object::Member> fresh;
  std::set<std::string, std::less<>> gone;
  for (const auto& [name, value] : patch.members()) {
    json::Value* const there = object.Find(name);
    if (value.is_null()) {
      gone.insert(name);
    } else if (there == nullptr) {
      fresh.emplace_back(name, value);
      DropNulls(fresh.back().second);
    } else if (there->is_object() && value.is_object()) {
      MergeInto(value, *there);
    } else {
      const bool keeps = there->is_object();  // nulls in a list that takes the place of an object
      *there = value;
      if (!keeps) DropNulls(*there);
    }
  }
  json::Object& members = object.EnsureObject();
  if (!gone.empty()) {
    members.EraseIf(
        [&](const json::Object::Member& member) { return gone.contains(member.first); });
  }
  if (!fresh.empty()) members.Extend(std::move(fresh));
}

}  // namespace

Result<void> ApplyMergePatch(const json::Value& patch, json::Value& document) {
  if (!patch.is_object()) return BadRequestError("a merge patch must be an object");
  MergeInto(patch, document);
  return {};
}

}  // namespace kinformer::apiserver
