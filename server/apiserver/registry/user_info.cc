#include "apiserver/registry/user_info.h"

#include <utility>

namespace kinformer::apiserver {
namespace {

json::Value ArrayOf(const std::vector<std::string>& texts) {
  json::Value array = json::Value::MakeArray();
  for (const std::string& text : texts) array.Append(text);
  return array;
}

}  // namespace

json::Value ToJson(const UserInfo& user) {
  json::Value out = json::Value::MakeObject();
  if (!user.name.empty()) out.Set("username", user.name);
  if (!user.uid.empty()) out.Set("uid", user.uid);
  if (!user.groups.empty()) out.Set("groups", ArrayOf(user.groups));
  if (user.extra.empty()) return out;
  json::Value extra = json::Value::MakeObject();
  for (const auto& [key, values] : user.extra) extra.Set(key, ArrayOf(values));
  out.Set("extra", std::move(extra));
  return out;
}

std::string ServiceAccountName(std::string_view namespace_, std::string_view account) {
  return "system:serviceaccount:" + std::string(namespace_) + ":" + std::string(account);
}

std::vector<std::string> ServiceAccountGroups(std::string_view namespace_) {
  return {"system:serviceaccounts", "system:serviceaccounts:" + std::string(namespace_)};
}

}  // namespace kinformer::apiserver
