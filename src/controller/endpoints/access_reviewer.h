// controller/endpoints/access_reviewer.h
//
// AccessReviewer: asks the API server who the bearer of a token is and what they may do.

#ifndef KINFORMER_CONTROLLER_ENDPOINTS_ACCESS_REVIEWER_H_
#define KINFORMER_CONTROLLER_ENDPOINTS_ACCESS_REVIEWER_H_

#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/api/authenticationv1_mutable.h"
#include "kinformer/api/authorizationv1_mutable.h"
#include "kinformer/base/env.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"

#include "base/core/lru_cache.h"
#include "base/core/mutex.h"

namespace kinformer::internal::endpoints {

// A request whose authorization is checked.
struct AccessRequest {
  std::string token{};
  std::string verb{};
  std::string path{};
};

// Result of the check.
struct Verdict {
  int status = 200;    // 200: allowed
  std::string text{};  // reason for a refusal
  std::string user{};  // name of the user, if allowed
};

// Thread-safe. Ask blocks.
class AccessReviewer {
 public:
  AccessReviewer(Env& env, const Client& client);

  // Returns the verdict if it is cached, without a request to the API server.
  std::optional<Verdict> Known(const AccessRequest& request);
  // Returns the verdict; asks the API server for parts that are not cached.
  Verdict Ask(const AccessRequest& request, const std::stop_token& stop);

 private:
  using TokenReview = authenticationv1::TokenReview;
  using SubjectAccessReview = authorizationv1::SubjectAccessReview;
  // nullopt: the API server does not know the token.
  using User = std::optional<authenticationv1::UserInfoMutable>;
  template <class T>
  struct Remembered {
    T value{};
    BootTime until{};
  };
  template <class T>
  using Memory = base::LruCache<Remembered<T>>;

  std::optional<User> KnownUser(const std::string& token);
  void Remember(const std::string& token, const User& user);
  std::optional<bool> KnownAccess(const std::string& question);
  Result<User> AskUser(const std::string& token, const std::stop_token& stop);
  Result<bool> AskAccess(const SubjectAccessReview::Mutable& question, const std::stop_token& stop);

  Env& env_;
  const ResourceClient<TokenReview> token_reviews_;
  const ResourceClient<SubjectAccessReview> access_reviews_;
  base::Mutex mutex_;
  // Keys are digests, because tokens and paths are chosen by clients and may be as long as a head
  // allows. Unknown tokens and denials have caches of their own, so that a flood of them does not
  // evict the entries of allowed users.
  Memory<User> users_ KINFORMER_GUARDED_BY(mutex_);
  Memory<bool> nobodies_ KINFORMER_GUARDED_BY(mutex_);
  Memory<bool> allowed_ KINFORMER_GUARDED_BY(mutex_);
  Memory<bool> denied_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::endpoints

#endif  // KINFORMER_CONTROLLER_ENDPOINTS_ACCESS_REVIEWER_H_
