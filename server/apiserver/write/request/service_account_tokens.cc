#include "apiserver/write/request/service_account_tokens.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/service_account_keys.h"
#include "base/core/system_random.h"
#include "base/text/uuid.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kPrefix = "kinformer.";
constexpr std::int64_t kDefaultSeconds = 3600;
constexpr std::int64_t kMinSeconds = 600;
constexpr std::int64_t kMaxSeconds = std::int64_t{1} << 32;
// Limit of the memory of all valid tokens.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

// Returns a secret as long as a signed token's, from the machine's entropy, since the Env's
// randomness is predictable.
std::string NewSecret() {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  constexpr std::size_t kLength = 64;
  std::string secret(kPrefix);
  for (std::size_t i = 0; i < kLength; ++i)
    secret += kLetters[internal::base::SystemRandom() % kLetters.size()];
  return secret;
}

std::string QuotedList(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() == 1 ? "" : " ") + JsonString(text);
  return out + "]";
}

std::vector<std::string> Texts(const json::Value& array) {
  std::vector<std::string> out;
  for (const json::Value& text : array.items()) out.push_back(text.StringOrEmpty());
  return out;
}

json::Value ArrayOf(const std::vector<std::string>& texts) {
  json::Value array = json::Value::MakeArray();
  for (const std::string& text : texts) array.Append(text);
  return array;
}

std::int64_t UnixSeconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

Error NotKnown() { return Error(Reason::kUnauthorized, "invalid bearer token"); }

}  // namespace

StoredObjectPtr ServiceAccountTokens::Find(std::string_view plural, std::string_view namespace_,
                                           std::string_view name, std::string_view uid) const {
  const StoredObjectPtr stored =
      state_.resources.FindGroupResource("", plural)->Find(namespace_, name);
  return stored != nullptr && (uid.empty() || stored->uid() == uid) ? stored : nullptr;
}

ServiceAccountTokens::ServiceAccountTokens(ServerState& state) : state_(state) {
  for (const TokenUser& from : state.options.token_users) {
    UserInfo user{.name = from.name, .uid = from.uid, .groups = from.groups};
    user.groups.emplace_back("system:authenticated");
    users_.emplace(from.token, std::make_shared<const UserInfo>(std::move(user)));
  }
}

bool ServiceAccountTokens::IsOne(const std::string& token) const {
  return token.starts_with(kPrefix) || users_.contains(token) ||
         (state_.options.service_account_keys != nullptr && Verified(token).ok());
}

json::Value ServiceAccountTokens::ClaimsOf(const Token& token) const {
  const std::int64_t now = UnixSeconds(state_.env.WallNow());
  const auto reference = [](const std::string& name, const std::string& uid) {
    json::Value out = json::Value::MakeObject({{"name", name}});
    if (!uid.empty()) out.Set("uid", uid);
    return out;
  };
  json::Value place = json::Value::MakeObject({{"namespace", token.namespace_}});
  if (token.bound_plural == "nodes") {
    place.Set("node", reference(token.bound_name, token.bound_uid));
  }
  if (!token.node_name.empty()) place.Set("node", reference(token.node_name, token.node_uid));
  if (token.bound_plural == "pods") place.Set("pod", reference(token.bound_name, token.bound_uid));
  if (token.bound_plural == "secrets") {
    place.Set("secret", reference(token.bound_name, token.bound_uid));
  }
  place.Set("serviceaccount", reference(token.account, token.uid));
  return json::Value::MakeObject({{"aud", ArrayOf(token.audiences)},
                                  {"exp", UnixSeconds(token.expires)},
                                  {"iat", now},
                                  {"iss", state_.options.service_account_issuer},
                                  {"jti", token.id},
                                  {"kubernetes.io", std::move(place)},
                                  {"nbf", now},
                                  {"sub", ServiceAccountName(token.namespace_, token.account)}});
}

Result<ServiceAccountTokens::Token> ServiceAccountTokens::Verified(
    const std::string& secret) const {
  const Result<std::string> text = state_.options.service_account_keys->Verify(secret);
  if (!text) return NotKnown();
  const Result<json::Value> parsed = json::Parse(*text);
  if (!parsed || (*parsed)["iss"].StringOrEmpty() != state_.options.service_account_issuer) {
    return NotKnown();
  }
  const json::Value& claims = *parsed;
  const json::Value& place = claims["kubernetes.io"];
  Token token{.namespace_ = place["namespace"].StringOrEmpty(),
              .account = place["serviceaccount"]["name"].StringOrEmpty(),
              .uid = place["serviceaccount"]["uid"].StringOrEmpty(),
              .id = claims["jti"].StringOrEmpty(),
              .audiences = Texts(claims["aud"]),
              .expires = WallTime(std::chrono::seconds(claims["exp"].AsInt64().value_or(0))),
              .bound_plural = {},
              .bound_name = {},
              .bound_uid = {},
              .node_name = {},
              .node_uid = {}};
  if (claims["sub"].StringOrEmpty() != ServiceAccountName(token.namespace_, token.account) ||
      claims["nbf"].AsInt64().value_or(0) > UnixSeconds(state_.env.WallNow())) {
    return NotKnown();
  }
  const auto bind = [&](const char* member, const char* plural) {
    if (place[member].is_null()) return;
    token.bound_plural = plural;
    token.bound_name = place[member]["name"].StringOrEmpty();
    token.bound_uid = place[member]["uid"].StringOrEmpty();
  };
  bind("secret", "secrets");
  bind("node", "nodes");
  if (!place["pod"].is_null()) {
    token.node_name = place["node"]["name"].StringOrEmpty();
    token.node_uid = place["node"]["uid"].StringOrEmpty();
  }
  bind("pod", "pods");
  return token;
}

Result<ServiceAccountTokens::Token> ServiceAccountTokens::Lookup(const std::string& secret) const {
  if (state_.options.service_account_keys != nullptr) return Verified(secret);
  const auto found = tokens_.find(secret);
  if (found == tokens_.end()) return NotKnown();
  return found->second;
}

bool ServiceAccountTokens::IsAlive(const Token& token) const {
  const std::string_view place =
      token.bound_plural == "nodes" ? std::string_view() : token.namespace_;
  return Find("serviceaccounts", token.namespace_, token.account, token.uid) != nullptr &&
         (token.bound_plural.empty() ||
          Find(token.bound_plural, place, token.bound_name, token.bound_uid) != nullptr);
}

Result<KnownToken> ServiceAccountTokens::Authenticate(
    const std::string& secret, const std::vector<std::string>& audiences) const {
  if (const auto given = users_.find(secret); given != users_.end()) {
    return KnownToken{.user = given->second, .audiences = audiences};
  }
  const Result<Token> found = Lookup(secret);
  if (!found || found->expires <= state_.env.WallNow()) return NotKnown();
  const Token& token = *found;
  if (!IsAlive(token)) return NotKnown();
  std::vector<std::string> wanted = audiences;
  if (wanted.empty()) wanted.push_back(state_.options.service_account_issuer);
  KnownToken known;
  for (const std::string& audience : token.audiences) {
    if (std::find(wanted.begin(), wanted.end(), audience) != wanted.end()) {
      known.audiences.push_back(audience);
    }
  }
  if (known.audiences.empty()) {
    return Error(Reason::kUnauthorized,
                 "[invalid bearer token, token audiences " + QuotedList(token.audiences) +
                     " is invalid for the target audiences " + QuotedList(wanted) + "]");
  }
  UserInfo user{.name = ServiceAccountName(token.namespace_, token.account),
                .uid = token.uid,
                .groups = ServiceAccountGroups(token.namespace_),
                .extra = {{"authentication.kubernetes.io/credential-id", {"JTI=" + token.id}}}};
  user.groups.emplace_back("system:authenticated");
  if (token.bound_plural == "pods") {
    user.extra["authentication.kubernetes.io/pod-name"] = {token.bound_name};
    user.extra["authentication.kubernetes.io/pod-uid"] = {token.bound_uid};
  }
  const bool of_node = token.bound_plural == "nodes";
  if (of_node || !token.node_name.empty()) {
    user.extra["authentication.kubernetes.io/node-name"] = {of_node ? token.bound_name
                                                                    : token.node_name};
  }
  if (of_node || !token.node_uid.empty()) {
    user.extra["authentication.kubernetes.io/node-uid"] = {of_node ? token.bound_uid
                                                                   : token.node_uid};
  }
  known.user = std::make_shared<const UserInfo>(std::move(user));
  return known;
}

Result<void> ServiceAccountTokens::Bind(const json::Value& reference, Token& token) const {
  if (reference.is_null()) return {};
  const std::string& kind = reference["kind"].StringOrEmpty();
  const std::string& name = reference["name"].StringOrEmpty();
  const std::string plural = kind == "Pod"      ? "pods"
                             : kind == "Secret" ? "secrets"
                             : kind == "Node"   ? "nodes"
                                                : "";
  if (plural.empty()) {
    return BadRequestError("cannot bind token to object of type " + kind +
                           ": it must be a Pod, a Secret or a Node");
  }
  const StoredObjectPtr stored =
      Find(plural, plural == "nodes" ? std::string_view() : token.namespace_, name, {});
  if (stored == nullptr) return NotFoundError({.resource = plural, .name = name});
  if (const std::string& uid = reference["uid"].StringOrEmpty();
      !uid.empty() && uid != stored->uid()) {
    return ConflictError({.resource = plural, .name = name},
                         "the UID in the bound object reference (" + uid +
                             ") does not match the UID in record. The object might have been "
                             "deleted and then recreated");
  }
  if (kind == "Pod") {
    const json::Value pod = stored->Parse();
    if (pod.At("/spec/serviceAccountName").StringOrEmpty() != token.account) {
      return BadRequestError("cannot bind token for serviceaccount \"" + token.account +
                             "\" to pod running with different serviceaccount name.");
    }
    token.node_name = pod.At("/spec/nodeName").StringOrEmpty();
    const StoredObjectPtr node = Find("nodes", {}, token.node_name, {});
    if (node != nullptr) token.node_uid = std::string(node->uid());
  }
  token.bound_plural = plural;
  token.bound_name = name;
  token.bound_uid = std::string(stored->uid());
  return {};
}

void ServiceAccountTokens::ForgetExpired() {
  if (tokens_.size() < sweep_at_) return;
  const WallTime now = state_.env.WallNow();
  std::erase_if(tokens_, [&](const auto& entry) {
    if (entry.second.expires > now) return false;
    bytes_ -= entry.second.Cost();
    return true;
  });
  sweep_at_ = std::max<std::size_t>(1024, 2 * tokens_.size());
}

std::size_t ServiceAccountTokens::Token::Cost() const {
  std::size_t cost = sizeof(Token) + namespace_.size() + account.size() + bound_name.size();
  for (const std::string& audience : audiences) cost += sizeof(std::string) + audience.size();
  return cost;
}

void ServiceAccountTokens::MakeRoom(const Token& token) {
  while (!tokens_.empty() && bytes_ + token.Cost() > kMostBytes) {
    const auto rank = [&](const auto& entry) {
      const Token& other = entry.second;
      const bool others = other.namespace_ != token.namespace_ || other.account != token.account;
      return std::pair(others, other.expires);
    };
    const auto goes =
        std::min_element(tokens_.begin(), tokens_.end(),
                         [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    bytes_ -= goes->second.Cost();
    tokens_.erase(goes);
  }
}

void ServiceAccountTokens::Default(json::Value& request) {
  json::Value& spec = request.Ensure("spec");
  spec.EnsureObject();
  for (const auto& [name, value] : {std::pair<const char*, json::Value>("audiences", nullptr),
                                    {"expirationSeconds", kDefaultSeconds},
                                    {"boundObjectRef", nullptr}}) {
    if (std::as_const(spec)[name].is_null()) spec.Set(name, value);
  }
}

Result<void> ServiceAccountTokens::Complete(const WriteTarget& target, json::Value& request) const {
  const ErrorSubject kind{.group = "authentication.k8s.io", .resource = "TokenRequest"};
  if (const std::string& name = std::as_const(request).At("/metadata/name").StringOrEmpty();
      !name.empty() && name != target.name) {
    return InvalidError({.group = kind.group, .resource = kind.resource, .name = target.name},
                        {InvalidValue("metadata.name", JsonString(name),
                                      "must match the service account name if specified")});
  }
  const StoredObjectPtr account = Find("serviceaccounts", target.namespace_, target.name, {});
  if (account == nullptr) {
    return NotFoundError({.resource = "serviceaccounts", .name = target.name});
  }
  if (const std::string& uid = std::as_const(request).At("/metadata/uid").StringOrEmpty();
      !uid.empty() && uid != account->uid()) {
    return ConflictError({.group = kind.group, .resource = kind.resource, .name = target.name},
                         "the UID in the token request (" + uid +
                             ") does not match the UID of the service account (" +
                             std::string(account->uid()) + ")");
  }
  json::Value spec = std::as_const(request)["spec"];
  const std::int64_t seconds =
      std::as_const(spec)["expirationSeconds"].AsInt64().value_or(kDefaultSeconds);
  const auto out_of_range = [&](std::string_view why) {
    return InvalidError(kind,
                        {InvalidValue("spec.expirationSeconds", std::to_string(seconds), why)});
  };
  if (seconds < kMinSeconds) {
    return out_of_range("may not specify a duration less than 10 minutes");
  }
  if (seconds > kMaxSeconds) {
    return out_of_range("may not specify a duration larger than 2^32 seconds");
  }
  std::vector<std::string> audiences = Texts(std::as_const(spec)["audiences"]);
  if (audiences.empty()) audiences.push_back(state_.options.service_account_issuer);
  request = json::Value::MakeObject(
      {{"kind", "TokenRequest"},
       {"apiVersion", "authentication.k8s.io/v1"},
       {"metadata",
        json::Value::MakeObject({{"name", target.name},
                                 {"namespace", target.namespace_},
                                 {"uid", account->uid()},
                                 {"creationTimestamp", FormatTime(state_.env.WallNow())}})},
       {"spec",
        json::Value::MakeObject({{"audiences", ArrayOf(audiences)},
                                 {"expirationSeconds", seconds},
                                 {"boundObjectRef", std::as_const(spec)["boundObjectRef"]}})},
       {"status", json::Value::MakeObject({{"token", ""}, {"expirationTimestamp", nullptr}})}});
  return {};
}

Result<json::Value> ServiceAccountTokens::Issue(const WriteTarget& target, json::Value request) {
  const json::Value& given = std::as_const(request)["spec"];
  Token token{.namespace_ = target.namespace_,
              .account = target.name,
              .uid = std::as_const(request).At("/metadata/uid").StringOrEmpty(),
              .id = internal::base::NewUuid(state_.env),
              .audiences = Texts(given["audiences"]),
              .expires = state_.env.WallNow() +
                         std::chrono::seconds(given["expirationSeconds"].AsInt64().value_or(0)),
              .bound_plural = {},
              .bound_name = {},
              .bound_uid = {},
              .node_name = {},
              .node_uid = {}};
  if (Result<void> bound = Bind(given["boundObjectRef"], token); !bound) return bound.error();
  std::string secret;
  const ServiceAccountKeys* const keys = state_.options.service_account_keys.get();
  if (keys != nullptr) {
    Result<std::string> made = keys->Sign(ClaimsOf(token).Dump());
    if (!made) return made.error();
    secret = *std::move(made);
  } else {
    secret = NewSecret();
  }
  request.Set("status",
              json::Value::MakeObject(
                  {{"token", secret}, {"expirationTimestamp", FormatTime(token.expires)}}));
  if (!target.dry_run && keys == nullptr) {
    ForgetExpired();
    MakeRoom(token);
    bytes_ += token.Cost();
    tokens_.emplace(std::move(secret), std::move(token));
  }
  return request;
}

}  // namespace kinformer::apiserver
