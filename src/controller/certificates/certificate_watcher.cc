#include "kinformer/endpoints/certificate_watcher.h"

#include <cstddef>
#include <utility>

#include "kinformer/base/metrics.h"

#include "base/core/forked.h"
#include "base/core/inside.h"
#include "base/core/user_call.h"
#include "base/text/regular_file.h"
#include "http/tls_stream.h"

namespace kinformer {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

Result<std::string> ReadPem(const std::string& path) {
  Result<std::string> text = internal::base::ReadRegularFile(path, kMaxBytes);
  if (!text) return Error(Reason::kConfig, path + ": " + text.error().message());
  return text;
}

Result<CertificatePair> ReadPair(const CertificateFiles& files) {
  Result<std::string> cert = ReadPem(files.cert_file);
  if (!cert) return cert.error();
  Result<std::string> key = ReadPem(files.key_file);
  if (!key) return key.error();
  return CertificatePair{.cert_pem = *std::move(cert), .key_pem = *std::move(key)};
}

// Whether a server could use the pair.
Result<void> CheckPair(const CertificateFiles& files, const CertificatePair& pair) {
  const auto context = internal::http::NewTlsContext(
      {.cert_pem = pair.cert_pem, .key_pem = pair.key_pem, .client_ca_pem = {}}, true);
  if (context) return {};
  Error error = context.error();
  return error.WithContext(files.cert_file + " with " + files.key_file);
}

class Watcher final : public CertificateWatcher {
 public:
  Watcher(Env& env, CertificateFiles files, Duration interval, CertificatePair first)
      : env_(env),
        files_(std::move(files)),
        interval_(interval),
        reads_(env.metrics().NewCounter("certwatcher_read_certificate_total",
                                        "Total number of certificate reads", {})),
        errors_(env.metrics().NewCounter("certwatcher_read_certificate_errors_total",
                                         "Total number of certificate read errors", {})),
        monitor_(env.NewMonitor()),
        current_(std::move(first)) {
    reads_->Add();
    thread_ = env_.NewThread("certificates", [this] { Watch(); });
  }

  ~Watcher() override {
    if (internal::base::IsForkedOff(env_)) return;
    const MonitorLock lock(*monitor_);
    stopped_ = true;
    monitor_->NotifyAll();
  }

  CertificatePair Current() const override {
    const MonitorLock lock(*monitor_);
    return current_;
  }

  void SetCallback(std::function<void(const CertificatePair& pair)> callback) override {
    // One call at a time, so that the last call has the newest pair.
    const auto shared = std::make_shared<const Callback>(std::move(callback));
    MonitorLock lock(*monitor_);
    // A callback that replaces itself cannot wait for its own end.
    while (calling_ && !internal::base::Inside::Of(this)) lock.Wait();
    callback_ = shared;
    Tell(lock);
  }

 private:
  using Callback = std::function<void(const CertificatePair& pair)>;

  // REQUIRES: locked, and no call is running, except one that called this. Unlocks during the call.
  void Tell(MonitorLock&) {
    const std::shared_ptr<const Callback> callback = callback_;
    if (callback == nullptr || !*callback) return;
    const CertificatePair pair = current_;
    const bool nested = std::exchange(calling_, true);
    monitor_->Unlock();
    {
      const internal::base::Inside inside(this);
      static_cast<void>(
          internal::base::CallUser(env_, "certificate callback", [&] { (*callback)(pair); }).ok());
    }
    monitor_->Lock();
    calling_ = nested;
    monitor_->NotifyAll();
  }

  void Watch() {
    for (;;) {
      {
        MonitorLock lock(*monitor_);
        const SteadyTime next = env_.Now() + interval_;
        while (!stopped_ && lock.WaitUntil(next)) {
        }
        if (stopped_) return;
      }
      Look();
    }
  }

  void Look() {
    reads_->Add();
    Result<CertificatePair> read = ReadPair(files_);
    if (!read) return Fail(read.error());
    {
      const MonitorLock lock(*monitor_);
      if (*read == current_) return;
    }
    if (Result<void> good = CheckPair(files_, *read); !good) return Fail(good.error());
    MonitorLock lock(*monitor_);
    current_ = *std::move(read);
    while (calling_) lock.Wait();
    Tell(lock);
  }

  void Fail(const Error& error) {
    errors_->Add();
    env_.log().Log(LogLevel::kError, "cannot read the certificate; the one before stays",
                   {{"err", error.ToString()}});
  }

  Env& env_;
  const CertificateFiles files_;
  const Duration interval_;
  const std::shared_ptr<Counter> reads_;
  const std::shared_ptr<Counter> errors_;

  const std::unique_ptr<Monitor> monitor_;
  CertificatePair current_;  // guarded by the monitor, as are the members below
  std::shared_ptr<const Callback> callback_{};
  bool calling_ = false;
  bool stopped_ = false;
  std::unique_ptr<Thread> thread_{};  // joined first
};

}  // namespace

Result<std::unique_ptr<CertificateWatcher>> CertificateWatcher::New(Env& env,
                                                                    CertificateFiles files,
                                                                    Duration interval) {
  Result<CertificatePair> first = ReadPair(files);
  if (!first) return std::move(first).error();
  if (Result<void> good = CheckPair(files, *first); !good) return good.error();
  return std::make_unique<Watcher>(env, std::move(files), interval, *std::move(first));
}

}  // namespace kinformer
