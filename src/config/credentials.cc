#include "config/credentials.h"

#include <chrono>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "config/exec_plugin.h"
#include "config/kubeconfig.h"

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

// What is obtained by blocking work on the pool, kept until it expires, and asked for by many at
// once.
class CachedCredentials : public CredentialSource,
                          public std::enable_shared_from_this<CachedCredentials> {
 public:
  using Done = std::function<void(Result<Credentials>)>;

  void Fetch(Env& env, Done done) override {
    if (known_ && !rejected_ && Fresh(env)) {
      done(*known_);
      return;
    }
    waiting_.push_back(std::move(done));
    if (waiting_.size() > 1) return;
    env.pool().Post([self = shared_from_this(), &env] {
      // A std::function must be copyable, a Task need not: hand the answer over as it is.
      env.loop().Post([self, &env, settle = self->Obtain(env)] { self->Finish(env, settle()); });
    });
  }

  void Rejected(const std::string& authorization) override {
    if (known_ && known_->authorization == authorization) rejected_ = true;
  }
  bool CanRefresh() const override { return true; }

 protected:
  // On the pool: blocks, and returns what is to happen on the loop, which yields the new value.
  virtual std::function<Result<Credentials>()> Obtain(Env& env) = 0;
  // On the loop.
  [[nodiscard]] virtual bool Fresh(Env& env) const = 0;
  // On the loop: what serves when nothing could be obtained; null: nothing does.
  [[nodiscard]] virtual const Credentials* Fallback() const = 0;
  [[nodiscard]] const std::optional<Credentials>& known() const { return known_; }

 private:
  void Finish(Env& env, Result<Credentials> result) {
    rejected_ = false;
    if (result) {
      known_ = *result;
    } else if (const Credentials* fallback = Fallback()) {
      env.log().Log(LogLevel::kWarning, "cannot renew credentials, using the old ones",
                    {{"err", result.error().message()}});
      result = *fallback;
    }
    for (auto& done : std::exchange(waiting_, {})) done(result);
  }

  std::optional<Credentials> known_;
  bool rejected_ = false;
  std::vector<Done> waiting_;
};

class TokenFileCredentials final : public CachedCredentials {
 public:
  TokenFileCredentials(std::string path, const std::string& fallback) : path_(std::move(path)) {
    if (!fallback.empty()) fallback_ = Credentials{.authorization = "Bearer " + fallback};
  }

 protected:
  std::function<Result<Credentials>()> Obtain(Env& env) override {
    auto text = ReadConfigFile(path_, "token file");
    if (text) {
      const auto first = text->find_first_not_of(" \t\r\n");
      const auto last = text->find_last_not_of(" \t\r\n");
      if (first == std::string::npos) {
        text = Error(Reason::kConfig, "token file " + path_ + " is empty");
      } else {
        text = text->substr(first, last - first + 1);
      }
    }
    return [this, &env, text = std::move(text)]() -> Result<Credentials> {
      read_at_ = env.Now();
      if (!text) return text.error();
      return Credentials{.authorization = "Bearer " + *text};
    };
  }
  bool Fresh(Env& env) const override { return env.Now() - read_at_ < std::chrono::seconds(50); }
  const Credentials* Fallback() const override {
    return known() ? &*known() : fallback_ ? &*fallback_ : nullptr;
  }

 private:
  const std::string path_;
  std::optional<Credentials> fallback_;
  SteadyTime read_at_{};
};

class ExecCredentials final : public CachedCredentials {
 public:
  ExecCredentials(ExecConfig exec, ExecCluster cluster)
      : exec_(std::move(exec)), cluster_(std::move(cluster)) {}

 protected:
  std::function<Result<Credentials>()> Obtain(Env& env) override {
    auto answer = RunExecPlugin(env, exec_, cluster_);
    return [this, answer = std::move(answer)]() -> Result<Credentials> {
      if (!answer) return answer.error();
      expires_ = answer->expires;
      return answer->credentials;
    };
  }
  bool Fresh(Env& env) const override { return !expires_ || env.WallNow() <= *expires_; }
  const Credentials* Fallback() const override { return nullptr; }

 private:
  const ExecConfig exec_;
  const ExecCluster cluster_;
  std::optional<WallTime> expires_;
};

}  // namespace

std::shared_ptr<CredentialSource> NewStaticCredentials(std::string authorization) {
  return std::make_shared<StaticCredentials>(std::move(authorization));
}

std::shared_ptr<CredentialSource> NewTokenFileCredentials(std::string path,
                                                          const std::string& fallback) {
  return std::make_shared<TokenFileCredentials>(std::move(path), fallback);
}

std::shared_ptr<CredentialSource> NewExecCredentials(ExecConfig exec, ExecCluster cluster) {
  return std::make_shared<ExecCredentials>(std::move(exec), std::move(cluster));
}

}  // namespace kinformer::internal::config
