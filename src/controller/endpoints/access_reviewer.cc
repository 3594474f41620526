#include "controller/endpoints/access_reviewer.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <openssl/sha.h>
#include <string_view>
#include <utility>

#include "kinformer/client/request_options.h"

namespace kinformer::internal::endpoints {
namespace {

// Values of controller-runtime's filter.
constexpr Duration kTimeout = std::chrono::seconds(10);
constexpr Duration kUserTtl = std::chrono::minutes(1);
constexpr Duration kAllowedTtl = std::chrono::minutes(5);
constexpr Duration kDeniedTtl = std::chrono::seconds(30);
constexpr std::size_t kMaxRemembered = 4096;
constexpr std::size_t kMaxRefused = 1024;

authorizationv1::SubjectAccessReviewMutable QuestionOf(
    const authenticationv1::UserInfoMutable& user, const AccessRequest& request) {
  authorizationv1::SubjectAccessReviewMutable question;
  question.spec.user = user.username;
  question.spec.uid = user.uid;
  question.spec.groups = user.groups;
  for (const auto& [name, value] : user.extra) question.spec.extra[name].items = value.items;
  auto& attributes = question.spec.nonResourceAttributes.emplace();
  attributes.path = request.path;
  attributes.verb = request.verb;
  return question;
}

Verdict Unauthorized() { return {.status = 401, .text = "Unauthorized\n"}; }

Verdict VerdictOn(const std::string& user, bool allowed) {
  if (allowed) return {.user = user};
  return {.status = 403, .text = "Authorization denied for user " + user + "\n"};
}

// Nobody can find two texts with the same digest, or the text of a digest.
std::string DigestOf(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return {digest.begin(), digest.end()};
}

// Returns the cached value if it has not expired.
template <class Memory>
auto Recalled(Memory& memory, const std::string& key, BootTime now) {
  auto* const found = memory.Find(key);
  using Value = decltype(found->value);
  return found != nullptr && now < found->until ? std::optional<Value>(found->value)
                                                : std::optional<Value>();
}

}  // namespace

AccessReviewer::AccessReviewer(Env& env, const Client& client)
    : env_(env),
      token_reviews_(client.For<TokenReview>()),
      access_reviews_(client.For<SubjectAccessReview>()),
      users_(kMaxRemembered),
      nobodies_(kMaxRefused),
      allowed_(kMaxRemembered),
      denied_(kMaxRefused) {}

std::optional<Verdict> AccessReviewer::Known(const AccessRequest& request) {
  const std::optional<User> user = KnownUser(request.token);
  if (!user) return std::nullopt;
  if (!*user) return Unauthorized();
  const std::optional<bool> allowed = KnownAccess(ToJson(QuestionOf(**user, request)));
  if (!allowed) return std::nullopt;
  return VerdictOn((*user)->username, *allowed);
}

Verdict AccessReviewer::Ask(const AccessRequest& request, const std::stop_token& stop) {
  const Result<User> user = AskUser(request.token, stop);
  if (!user) {
    env_.log().Log(LogLevel::kError, "cannot find out whose token that is",
                   {{"path", request.path}, {"err", user.error().ToString()}});
    return {.status = 500, .text = "Authentication failed\n"};
  }
  if (!*user) return Unauthorized();
  const std::string& name = (*user)->username;
  const Result<bool> allowed = AskAccess(QuestionOf(**user, request), stop);
  if (!allowed.ok()) {
    env_.log().Log(LogLevel::kError, "cannot find out whether a user may do that",
                   {{"user", name}, {"path", request.path}, {"err", allowed.error().ToString()}});
    return {.status = 500, .text = "Authorization for user " + name + " failed\n"};
  }
  return VerdictOn(name, *allowed);
}

std::optional<AccessReviewer::User> AccessReviewer::KnownUser(const std::string& token) {
  const BootTime now = env_.BootNow();
  const std::string digest = DigestOf(token);
  const base::MutexLock lock(mutex_);
  if (std::optional<User> user = Recalled(users_, digest, now)) return user;
  if (Recalled(nobodies_, digest, now)) return User();
  return std::nullopt;
}

void AccessReviewer::Remember(const std::string& token, const User& user) {
  const BootTime until = env_.BootNow() + kUserTtl;
  const std::string digest = DigestOf(token);
  const base::MutexLock lock(mutex_);
  if (user) {
    users_.Put(digest, {.value = user, .until = until});
  } else {
    users_.Erase(digest);
    nobodies_.Put(digest, {.value = true, .until = until});
  }
}

std::optional<bool> AccessReviewer::KnownAccess(const std::string& question) {
  const BootTime now = env_.BootNow();
  const std::string digest = DigestOf(question);
  const base::MutexLock lock(mutex_);
  for (Memory<bool>* const memory : {&allowed_, &denied_}) {
    if (const std::optional<bool> allowed = Recalled(*memory, digest, now)) return allowed;
  }
  return std::nullopt;
}

Result<AccessReviewer::User> AccessReviewer::AskUser(const std::string& token,
                                                     const std::stop_token& stop) {
  // Another request may have asked the same while this one waited.
  if (std::optional<User> known = KnownUser(token)) return *std::move(known);
  TokenReview::Mutable question;
  question.spec.token = token;
  const Result<Ref<TokenReview>> answer =
      token_reviews_.Create(question, {}, {.stop = stop, .timeout = kTimeout});
  if (!answer) return answer.error();
  const TokenReview::Mutable review = (*answer)->DeepCopy();
  User user;
  if (review.status.authenticated) user = review.status.user;
  Remember(token, user);
  return user;
}

Result<bool> AccessReviewer::AskAccess(const SubjectAccessReview::Mutable& question,
                                       const std::stop_token& stop) {
  const std::string key = ToJson(question);
  if (const std::optional<bool> known = KnownAccess(key)) return *known;
  const Result<Ref<SubjectAccessReview>> answer =
      access_reviews_.Create(question, {}, {.stop = stop, .timeout = kTimeout});
  if (!answer) return answer.error();
  const bool allowed = (*answer)->DeepCopy().status.allowed;
  const BootTime until = env_.BootNow() + (allowed ? kAllowedTtl : kDeniedTtl);
  const std::string digest = DigestOf(key);
  const base::MutexLock lock(mutex_);
  (allowed ? allowed_ : denied_).Put(digest, {.value = allowed, .until = until});
  (allowed ? denied_ : allowed_).Erase(digest);
  return allowed;
}

}  // namespace kinformer::internal::endpoints
