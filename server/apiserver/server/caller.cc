#include "apiserver/server/caller.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"
#include "apiserver/request/request_info.h"
#include "apiserver/schema/name_rules.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kAnonymous = "system:anonymous";
constexpr std::string_view kAuthenticated = "system:authenticated";
constexpr std::string_view kUnauthenticated = "system:unauthenticated";
constexpr std::string_view kExtra = "impersonate-extra-";

const UserInfoPtr& Anonymous() {
  static const auto user = std::make_shared<const UserInfo>(
      UserInfo{.name = std::string(kAnonymous), .groups = {std::string(kUnauthenticated)}});
  return user;
}

Result<UserInfoPtr> Proven(const HttpRequest& request, const ServiceAccountTokens& tokens) {
  if (!request.user.empty()) {
    return std::make_shared<const UserInfo>(
        UserInfo{.name = request.user, .groups = {"system:masters", std::string(kAuthenticated)}});
  }
  const std::string_view token = BearerTokenOf(request.headers);
  // A foreign token that the front end accepted proves no identity here.
  if (!ServiceAccountTokens::IsOne(token)) return Anonymous();
  const auto known = tokens.Authenticate(std::string(token), {});
  if (!known) return Error(Reason::kUnauthorized, "Unauthorized").WithHttpStatus(401);
  return known->user;
}

// Returns the user in the impersonation headers; without a name if there is none.
Result<UserInfo> Wanted(const HttpHeaders& headers) {
  UserInfo wanted;
  for (const auto& [header, value] : headers) {
    const std::string name = LowerCase(header);
    if (name == "impersonate-user") {
      if (wanted.name.empty()) wanted.name = value;
    } else if (name == "impersonate-uid") {
      if (wanted.uid.empty()) wanted.uid = value;
    } else if (name == "impersonate-group") {
      wanted.groups.push_back(value);
    } else if (name.starts_with(kExtra)) {
      std::string key;
      if (!PercentDecode(std::string_view(name).substr(kExtra.size()), false, key)) {
        return BadRequestError("header \"" + header + "\" has a bad percent-encoding");
      }
      wanted.extra[LowerCase(key)].push_back(value);
    }
  }
  return wanted;
}

// Adds the groups that a real server gives to impersonated users.
void AddUsualGroups(UserInfo& user) {
  constexpr std::string_view kAccount = "system:serviceaccount:";
  if (user.groups.empty() && user.name.starts_with(kAccount)) {
    const std::string_view place = std::string_view(user.name).substr(kAccount.size());
    const std::size_t colon = place.find(':');
    if (colon != std::string_view::npos) user.groups = ServiceAccountGroups(place.substr(0, colon));
  }
  const auto has = [&](std::string_view group) {
    return std::find(user.groups.begin(), user.groups.end(), group) != user.groups.end();
  };
  if (has(kAuthenticated) || has(kUnauthenticated)) return;
  user.groups.emplace_back(user.name == kAnonymous ? kUnauthenticated : kAuthenticated);
}

}  // namespace

std::string_view BearerTokenOf(const HttpHeaders& headers) {
  constexpr std::string_view kBearer = "bearer ";
  std::string_view value = headers.Get("Authorization");
  if (LowerCase(value.substr(0, kBearer.size())) != kBearer) return {};
  value.remove_prefix(kBearer.size());
  return value;
}

Result<UserInfoPtr> CallerOf(const HttpRequest& request, const ServiceAccountTokens& tokens) {
  Result<UserInfoPtr> proven = Proven(request, tokens);
  if (!proven) return proven;
  Result<UserInfo> wanted = Wanted(request.headers);
  if (!wanted) return wanted.error();
  if (wanted->name.empty()) {
    if (wanted->uid.empty() && wanted->groups.empty() && wanted->extra.empty()) return proven;
    return BadRequestError(
        "requested a uid, groups or extra without impersonating a user name: add the header "
        "Impersonate-User");
  }
  AddUsualGroups(*wanted);
  return std::make_shared<const UserInfo>(*std::move(wanted));
}

}  // namespace kinformer::apiserver
