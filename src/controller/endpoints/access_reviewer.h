// controller/endpoints/access_reviewer.h
//
// AccessReviewer: who the bearer of a token is and what they may do, by the word of the API server.

#ifndef KINFORMER_CONTROLLER_ENDPOINTS_ACCESS_REVIEWER_H_
#define KINFORMER_CONTROLLER_ENDPOINTS_ACCESS_REVIEWER_H_

#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/api/authenticationv1_mutable.h"
#include "kinformer/api/authorizationv1_mutable.h"
#include "kinformer/client.h"
#include "kinformer/env.h"
#include "kinformer/resource_client.h"

#include "base/core/lru_cache.h"
#include "base/core/mutex.h"

namespace kinformer::internal::endpoints {

// What somebody wants to do.
struct AccessRequest {
  std::string token{};
  std::string verb{};
  std::string path{};
};

// What becomes of it.
struct Verdict {
  int status = 200;    // they may
  std::string text{};  // why not
  std::string user{};  // who they are, if they may
};

// Thread-safe. Ask blocks.
class AccessReviewer {
 public:
  AccessReviewer(Env& env, const Client& client);

  // What is known without asking.
  std::optional<Verdict> Known(const AccessRequest& request);
  // Asks for what is not known.
  Verdict Ask(const AccessRequest& request, const std::stop_token& stop);

 private:
  using TokenReview = authenticationv1::TokenReview;
  using SubjectAccessReview = authorizationv1::SubjectAccessReview;
  // None: nobody that the API server knows.
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
  // By digests: a token, and the path in a question, may be as long as a head, and whoever asks
  // chooses them. Who is nobody is remembered apart, and what is denied too, so that a flood of
  // those drives nobody out who may.
  Memory<User> users_ KINFORMER_GUARDED_BY(mutex_);
  Memory<bool> nobodies_ KINFORMER_GUARDED_BY(mutex_);
  Memory<bool> allowed_ KINFORMER_GUARDED_BY(mutex_);
  Memory<bool> denied_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::endpoints

#endif  // KINFORMER_CONTROLLER_ENDPOINTS_ACCESS_REVIEWER_H_
