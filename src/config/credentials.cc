#include "config/credentials.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/core/deadline.h"
#include "base/loop/own_job.h"
#include "config/bearer.h"
#include "config/jwt.h"
#include "config/kubeconfig.h"
#include "config/oidc.h"
#include "config/plugin_certificate.h"
#include "config/shared_plugin.h"
#include "object/values/text_forms.h"
#include "transport/awaited_source.h"
#include "transport/tls_material.h"

namespace kinformer::internal::config {

namespace {

class StaticCredentials final : public CredentialSource {
 public:
  explicit StaticCredentials(std::string authorization) {
    credentials_.authorization = std::move(authorization);
  }
  void Fetch(Env&, std::function<void(Result<Credentials>)> done) override { done(credentials_); }
  void Rejected(const std::string&) override {}
  bool CanRefresh() const override { return false; }

 private:
  Credentials credentials_;
};

// An id-token that cannot be renewed is used until it expires.
class IdTokenCredentials final : public CredentialSource {
 public:
  IdTokenCredentials(const std::string& token, std::string authorization, std::string place)
      : credentials_{.authorization = std::move(authorization)},
        expires_(JwtExpiry(token)),
        place_(std::move(place)) {}
  void Fetch(Env& env, std::function<void(Result<Credentials>)> done) override {
    if (EndsSoon(expires_, env.WallNow())) return done(Expired());
    done(credentials_);
  }
  void Rejected(const std::string&) override {}
  bool CanRefresh() const override { return false; }

 private:
  [[nodiscard]] Error Expired() const {
    std::string when;
    AppendRfc3339(std::chrono::floor<std::chrono::seconds>(*expires_).time_since_epoch().count(),
                  when);
    return Error(Reason::kConfig, (place_.empty() ? std::string() : place_ + ": ") +
                                      "the user's id-token (auth-provider oidc) is good until " +
                                      when +
                                      ", which is over or about to be, and there is no "
                                      "refresh-token to renew it with; log in again, so that the "
                                      "kubeconfig gets a new one, or use an exec plugin "
                                      "(users[].user.exec)");
  }

  Credentials credentials_{};
  const std::optional<WallTime> expires_;
  const std::string place_;
};

// Result of the blocking work.
struct Obtained {
  Result<Credentials> credentials;
  std::optional<WallTime> expires{};
  std::optional<transport::CertificateTimes> certificate{};
  std::uint64_t number = 0;  // of a plugin's answer
  bool ran = false;          // the plugin, for this client
};

// Credentials that blocking work on the library's own threads obtains, cached until they expire and
// shared by all callers. The work ends with the source, or some time after its last waiter left; a
// caller that returns before that joins the running work.
class CachedCredentials : public transport::AwaitedSource,
                          public std::enable_shared_from_this<CachedCredentials> {
 public:
  using Done = std::function<void(Result<Credentials>)>;

  void Fetch(Env& env, Done done) override { FetchFor(nullptr, env, std::move(done)); }
  void FetchFor(const void* who, Env& env, Done done) override {
    if (known_ && !rejected_ && Fresh(env)) {
      done(*known_);
      return;
    }
    waiting_.push_back({who, std::move(done)});
    give_up_.Cancel();
    if (std::exchange(at_work_, true)) return;
    job_ = base::OwnJob::Start(env, [weak = weak_from_this(), work = MakeWork(), &env](
                                        Env& home, const std::stop_token& stop) {
      return Closure([weak, &env, obtained = work(home, stop)] {
        if (auto self = weak.lock()) self->Finish(env, obtained);
      });
    });
  }
  void Forget(const void* who, Env& env) override {
    // Destroyed last, because the callbacks of waiters may call this object again.
    const auto first = std::stable_partition(waiting_.begin(), waiting_.end(),
                                             [&](const Waiter& each) { return each.who != who; });
    const std::vector<Waiter> gone(std::make_move_iterator(first),
                                   std::make_move_iterator(waiting_.end()));
    waiting_.erase(first, waiting_.end());
    if (!at_work_ || !waiting_.empty()) return;
    give_up_ = env.loop().RunAt(base::After(env.Now(), kPatience), [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->GiveUp();
    });
  }

  void Rejected(const std::string& authorization) override {
    if (known_ && known_->authorization == authorization) rejected_ = true;
  }
  bool CanRefresh() const override { return true; }

 protected:
  using Work = std::function<Obtained(Env&, const std::stop_token&)>;

  // Called on the loop. The work blocks, must not use this object, and must end soon after stop.
  [[nodiscard]] virtual Work MakeWork() const = 0;
  // Called on the loop with the result of the work.
  virtual void Note(Env& env, const Obtained& obtained) = 0;
  // Called on the loop. Whether the cached credentials are still usable.
  [[nodiscard]] virtual bool Fresh(Env& env) const = 0;
  // Called on the loop. Credentials to use if the work fails; null if there are none.
  [[nodiscard]] virtual const Credentials* Fallback() const = 0;
  [[nodiscard]] const std::optional<Credentials>& known() const { return known_; }

 private:
  static constexpr Duration kPatience = std::chrono::seconds(10);

  struct Waiter {
    const void* who;
    Done done;
  };

  void GiveUp() {
    at_work_ = false;
    job_.GiveUp();
  }

  void Finish(Env& env, const Obtained& obtained) {
    Note(env, obtained);
    Result<Credentials> result = obtained.credentials;
    at_work_ = false;
    rejected_ = false;
    if (result) {
      known_ = *result;
    } else if (const Credentials* fallback = Fallback()) {
      env.log().Log(LogLevel::kWarning, "cannot renew credentials, using the old ones",
                    {{"err", result.error().message()}});
      result = *fallback;
    }
    for (auto& waiter : std::exchange(waiting_, {})) waiter.done(result);
  }

  std::optional<Credentials> known_;
  bool rejected_ = false;
  bool at_work_ = false;
  std::vector<Waiter> waiting_;
  Timer give_up_;
  base::OwnJob job_;
};

class TokenFileCredentials final : public CachedCredentials {
 public:
  TokenFileCredentials(std::string path, const std::string& fallback) : path_(std::move(path)) {
    if (auto bearer = BearerOf(fallback, path_)) fallback_ = Credentials{.authorization = *bearer};
  }

 protected:
  Work MakeWork() const override {
    return [path = path_](Env&, const std::stop_token&) { return Obtained{Read(path)}; };
  }
  void Note(Env& env, const Obtained&) override { read_at_ = env.Now(); }
  bool Fresh(Env& env) const override { return env.Now() - read_at_ < std::chrono::seconds(50); }
  const Credentials* Fallback() const override {
    return known() ? &*known() : fallback_ ? &*fallback_ : nullptr;
  }

 private:
  static Result<Credentials> Read(const std::string& path) {
    const auto text = ReadConfigFile(path, "token file");
    if (!text) return text.error();
    const auto bearer = BearerOf(*text, "token file " + path);
    if (!bearer) return bearer.error();
    return Credentials{.authorization = *bearer};
  }

  const std::string path_;
  std::optional<Credentials> fallback_;
  SteadyTime read_at_{};
};

class ExecCredentials final : public CachedCredentials {
 public:
  explicit ExecCredentials(std::shared_ptr<SharedPlugin> plugin) : plugin_(std::move(plugin)) {}

 protected:
  Work MakeWork() const override {
    return [plugin = plugin_, used = used_](Env& env, const std::stop_token& stop) {
      auto got = plugin->Obtain(env, used, stop);
      if (!got) return Obtained{got.error()};
      const auto certificate = transport::TimesOfCertificate(got->answer.credentials.cert_pem);
      return Obtained{std::move(got->answer.credentials), got->answer.expires, certificate,
                      got->number, got->ran};
    };
  }
  void Note(Env& env, const Obtained& obtained) override {
    if (!obtained.credentials) return;
    expires_ = obtained.expires;
    used_ = obtained.number;
    certificate_.Use(env, obtained.credentials->cert_pem, obtained.certificate, obtained.ran);
  }
  bool Fresh(Env& env) const override {
    certificate_.SetTimeLeft(env);
    return !expires_ || env.WallNow() <= *expires_;
  }
  const Credentials* Fallback() const override { return nullptr; }

 private:
  const std::shared_ptr<SharedPlugin> plugin_;
  std::optional<WallTime> expires_;
  PluginCertificate certificate_;
  std::uint64_t used_ = 0;  // number of the answer that is in use; 0: none
};

// An id-token that its issuer renews.
class OidcCredentials final : public CachedCredentials {
 public:
  OidcCredentials(std::shared_ptr<SharedIdToken> token, std::string place)
      : token_(std::move(token)), place_(std::move(place)) {}

 protected:
  Work MakeWork() const override {
    return [token = token_, used = used_, place = place_](Env& env, const std::stop_token& stop) {
      const auto located = [&](const Error& error) {
        return Obtained{place.empty() ? error : Error(error).WithContext(place)};
      };
      const auto got = token->Obtain(env, used, stop);
      if (!got) return located(got.error());
      auto bearer = BearerOf(got->token, "the user's id-token");
      if (!bearer) return located(bearer.error());
      return Obtained{Credentials{.authorization = *std::move(bearer)}, JwtExpiry(got->token),
                      std::nullopt, got->number};
    };
  }
  void Note(Env&, const Obtained& obtained) override {
    if (!obtained.credentials) return;
    expires_ = obtained.expires;
    used_ = obtained.number;
  }
  bool Fresh(Env& env) const override { return !EndsSoon(expires_, env.WallNow()); }
  const Credentials* Fallback() const override { return nullptr; }

 private:
  const std::shared_ptr<SharedIdToken> token_;
  const std::string place_;
  std::optional<WallTime> expires_;
  std::uint64_t used_ = 0;  // number of the token that is in use; 0: none
};

}  // namespace

std::shared_ptr<CredentialSource> NewStaticCredentials(std::string authorization) {
  return std::make_shared<StaticCredentials>(std::move(authorization));
}

Result<std::shared_ptr<CredentialSource>> NewIdTokenCredentials(const std::string& token,
                                                                std::string place) {
  Result<std::string> bearer =
      BearerOf(token, place.empty() ? "Config::id_token" : place + ": the user's id-token");
  if (!bearer) return bearer.error();
  return std::shared_ptr<CredentialSource>(
      std::make_shared<IdTokenCredentials>(token, *std::move(bearer), std::move(place)));
}

std::shared_ptr<CredentialSource> NewOidcCredentials(std::shared_ptr<SharedIdToken> token,
                                                     std::string place) {
  return std::make_shared<OidcCredentials>(std::move(token), std::move(place));
}

std::shared_ptr<CredentialSource> NewTokenFileCredentials(std::string path,
                                                          const std::string& fallback) {
  return std::make_shared<TokenFileCredentials>(std::move(path), fallback);
}

std::shared_ptr<CredentialSource> NewExecCredentials(const ExecConfig& exec,
                                                     const ExecCluster& cluster) {
  return std::make_shared<ExecCredentials>(SharedPlugin::For(exec, cluster));
}

}  // namespace kinformer::internal::config
