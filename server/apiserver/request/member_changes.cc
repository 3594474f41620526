#include "apiserver/request/member_changes.h"

#include <utility>

namespace kinformer::apiserver {

json::Value& MemberChanges::Add(std::string_view name, json::Value value) {
  return fresh_.emplace_back(name, std::move(value)).second;
}

void MemberChanges::ApplyTo(json::Value& object) && {
  json::Object& members = object.EnsureObject();
  if (!gone_.empty()) {
    members.EraseIf(
        [&](const json::Object::Member& member) { return gone_.contains(member.first); });
  }
  if (!fresh_.empty()) members.Extend(std::move(fresh_));
}

}  // namespace kinformer::apiserver
