#include "certificates/held_certificate.h"

#include <chrono>
#include <functional>
#include <string>
#include <utility>

namespace kinformer::internal::certificates {
namespace {

// Knows neither the manager nor its functions, which may have clients that use this.
class HeldCredentials final : public CredentialSource {
 public:
  explicit HeldCredentials(std::shared_ptr<HeldCertificate> held) : held_(std::move(held)) {}

  void Fetch(Env& env, std::function<void(Result<Credentials>)> done) override {
    Credentials credentials;
    if (std::optional<CertificatePair> pair = held_->Valid(env)) {
      credentials.cert_pem = std::move(pair->cert_pem);
      credentials.key_pem = std::move(pair->key_pem);
    }
    done(std::move(credentials));
  }
  void Rejected(const std::string&) override {}
  bool CanRefresh() const override { return false; }

 private:
  const std::shared_ptr<HeldCertificate> held_;
};

}  // namespace

std::int64_t SecondsOf(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

std::optional<TimedPair> HeldCertificate::Set(TimedPair next) {
  const base::MutexLock lock(mutex_);
  std::optional<TimedPair> before = std::move(pair_);
  pair_ = std::move(next);
  return before;
}

std::optional<TimedPair> HeldCertificate::Get() const {
  const base::MutexLock lock(mutex_);
  return pair_;
}

std::optional<CertificatePair> HeldCertificate::Valid(Env& env) const {
  const base::MutexLock lock(mutex_);
  if (!pair_ || SecondsOf(env.WallNow()) > pair_->times.not_after) return std::nullopt;
  return pair_->pair;
}

std::shared_ptr<CredentialSource> NewHeldCredentials(std::shared_ptr<HeldCertificate> held) {
  return std::make_shared<HeldCredentials>(std::move(held));
}

}  // namespace kinformer::internal::certificates
