#include "apiserver/server/caller.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"
#include "apiserver/request/request_info.h"
#include "apiserver/schema/name_rules.h"
#include "apiserver/server/access.h"

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

// Returns the user that the front end has authenticated.
UserInfoPtr Admitted(const HttpRequest& request) {
  UserInfo user{.name = request.user};
  for (const auto& [header, value] : request.headers) {
    if (header == kGroupHeader) user.groups.emplace_back(value);
  }
  if (!IsIn(user, kAuthenticated)) user.groups.emplace_back(kAuthenticated);
  return std::make_shared<const UserInfo>(std::move(user));
}

Result<UserInfoPtr> Proven(const HttpRequest& request, const ServiceAccountTokens& tokens,
                           bool strict) {
  if (!request.user.empty()) return Admitted(request);
  const std::string token(BearerTokenOf(request.headers));
  // Where everybody may do everything, a foreign token just proves no identity.
  if (!tokens.IsOne(token) && (token.empty() || !strict)) return Anonymous();
  const auto known = tokens.Authenticate(token, {});
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
      wanted.groups.emplace_back(value);
    } else if (name.starts_with(kExtra)) {
      std::string key;
      if (!PercentDecode(std::string_view(name).substr(kExtra.size()), false, key)) {
        return BadRequestError("header \"" + std::string(header) + "\" has a bad percent-encoding");
      }
      wanted.extra[LowerCase(key)].emplace_back(value);
    }
  }
  return wanted;
}

// Returns the namespace and name of a service account's user; empty for other users.
std::pair<std::string_view, std::string_view> AccountOf(std::string_view user) {
  constexpr std::string_view kAccount = "system:serviceaccount:";
  if (!user.starts_with(kAccount)) return {};
  user.remove_prefix(kAccount.size());
  const std::size_t colon = user.find(':');
  if (colon == std::string_view::npos) return {};
  return {user.substr(0, colon), user.substr(colon + 1)};
}

// Fails without the right to be that user. kube-apiserver answers a caller who may not impersonate
// the user at all with the rights of its finer rules, which are not served here.
Result<void> CheckImpersonation(const Authorizer& authorizer, const UserInfo& caller,
                                const UserInfo& wanted, const RequestInfo& info) {
  constexpr std::string_view kGroup = "authentication.k8s.io";
  AccessAttributes attributes{.verb = "impersonate", .resource = "users", .name = wanted.name};
  const auto account = AccountOf(wanted.name);
  const bool is_account = !account.first.empty() && !account.second.empty();
  if (is_account) {
    attributes.resource = "serviceaccounts";
    attributes.namespace_ = account.first;
    attributes.name = account.second;
  }
  if (!authorizer.Decide(caller, attributes).allowed) {
    AccessAttributes asked = AttributesOf(info);
    const std::string verb =
        (is_account ? "impersonate-on:serviceaccount:" : "impersonate-on:user-info:") +
        std::string(asked.verb);
    asked.verb = verb;
    return authorizer.Check(caller, asked);
  }
  const auto check = [&](AccessAttributes part) {
    part.verb = "impersonate";
    return authorizer.Check(caller, part);
  };
  for (const std::string& group : wanted.groups) {
    if (Result<void> may = check({.resource = "groups", .name = group}); !may) return may;
  }
  for (const auto& [key, values] : wanted.extra) {
    for (const std::string& value : values) {
      Result<void> may =
          check({.group = kGroup, .resource = "userextras", .subresource = key, .name = value});
      if (!may) return may;
    }
  }
  if (wanted.uid.empty()) return {};
  return check({.group = kGroup, .resource = "uids", .name = wanted.uid});
}

// Adds the groups that a real server gives to impersonated users.
void AddUsualGroups(UserInfo& user) {
  if (const auto account = AccountOf(user.name); user.groups.empty() && !account.first.empty()) {
    user.groups = ServiceAccountGroups(account.first);
  }
  if (IsIn(user, kAuthenticated) || IsIn(user, kUnauthenticated)) return;
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

Result<UserInfoPtr> SenderOf(const HttpRequest& request, const ServiceAccountTokens& tokens,
                             const Authorizer* authorizer) {
  return Proven(request, tokens, /*strict=*/authorizer != nullptr);
}

Result<UserInfoPtr> CallerOf(const HttpRequest& request, const RequestInfo& info,
                             const ServiceAccountTokens& tokens, const Authorizer* authorizer) {
  Result<UserInfoPtr> proven = SenderOf(request, tokens, authorizer);
  if (!proven) return proven;
  Result<UserInfo> wanted = Wanted(request.headers);
  if (!wanted) return wanted.error();
  if (wanted->name.empty()) {
    if (wanted->uid.empty() && wanted->groups.empty() && wanted->extra.empty()) return proven;
    return BadRequestError(
        "requested a uid, groups or extra without impersonating a user name: add the header "
        "Impersonate-User");
  }
  if (authorizer != nullptr) {
    Result<void> may = CheckImpersonation(*authorizer, **proven, *wanted, info);
    if (!may) return may.error();
  }
  AddUsualGroups(*wanted);
  auto user = std::make_shared<const UserInfo>(*std::move(wanted));
  if (info.audit != nullptr) info.audit->impersonated = user;
  return user;
}

}  // namespace kinformer::apiserver
