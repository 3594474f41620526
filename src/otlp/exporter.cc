#include "otlp/exporter.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"

#include "base/core/deadline.h"
#include "base/core/forked.h"
#include "base/core/printable.h"
#include "base/core/would_deadlock.h"
#include "base/text/number_in.h"
#include "otlp/encoding.h"

namespace kinformer::internal::otlp {
namespace {

constexpr std::size_t kMaxAnswer = std::size_t{64} << 10;
constexpr std::size_t kMaxTold = 200;  // bytes of an answer in a log line
constexpr Duration kTellAgain = std::chrono::minutes(1);
constexpr Duration kLongestPause = std::chrono::seconds(30);

constexpr base::BackoffOptions kPauses{.initial = std::chrono::seconds(1),
                                       .factor = 2.0,
                                       .cap = kLongestPause,
                                       .jitter = 0.5,
                                       .reset = Duration(0)};

std::shared_ptr<Counter> NewCounter(MetricsSink& metrics, std::string_view result) {
  return metrics.NewCounter("kinformer_otlp_spans_total",
                            "Ended spans for the collector, by what became of them",
                            {{"result", result}});
}

// The statuses that the protocol wants a client to repeat.
bool MayBeRepeated(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

std::optional<Duration> SecondsIn(std::string_view text) {
  const auto seconds = base::NumberIn<int>(text);
  if (!seconds || *seconds < 0) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

}  // namespace

Exporter::Exporter(Env& env, std::unique_ptr<Transport> transport, Settings settings,
                   const OtlpOptions& options, MetricsSink& metrics)
    : env_(env),
      settings_(std::move(settings)),
      max_queued_(options.max_queued_spans),
      max_batch_(std::min(options.max_batch_spans, options.max_queued_spans)),
      delay_(options.schedule_delay),
      timeout_(options.timeout),
      retry_for_(options.retry_for),
      sent_(NewCounter(metrics, "sent")),
      rejected_(NewCounter(metrics, "rejected")),
      failed_(NewCounter(metrics, "failed")),
      dropped_(NewCounter(metrics, "dropped")),
      monitor_(env.NewMonitor()),
      transport_(std::move(transport)),
      backoff_(env, kPauses) {}

Exporter::~Exporter() = default;

void Exporter::Add(SpanData span) {
  bool wakes = false;
  bool at_once = false;
  bool dropped = false;
  {
    MonitorLock lock(*monitor_);
    if (stopped_ || waiting_.size() >= max_queued_) {
      ++stats_.dropped;
      dropped = true;
    } else {
      waiting_.push_back(std::move(span));
      ++added_;
      at_once = waiting_.size() == max_batch_;
      wakes = !std::exchange(awake_, true) || at_once;
    }
  }
  if (dropped) dropped_->Add();
  if (wakes) WakeLoop(at_once);
}

void Exporter::WakeLoop(bool at_once) {
  env_.loop().Post([self = shared_from_this(), at_once] { self->OnWake(at_once); });
}

void Exporter::OnWake(bool at_once) {
  if (batch_ > 0 || transport_ == nullptr) return;
  if (at_once) return SendNext();
  timer_ = env_.loop().RunAt(base::After(env_.Now(), delay_), [this] { SendNext(); });
}

void Exporter::SendNext() {
  if (batch_ > 0 || transport_ == nullptr) return;
  timer_ = Timer();
  std::vector<SpanData> spans;
  {
    MonitorLock lock(*monitor_);
    const std::size_t count = std::min(waiting_.size(), max_batch_);
    if (count == 0) {
      awake_ = false;
      return;
    }
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    spans.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
  }
  batch_ = spans.size();
  body_ = EncodeRequest(settings_.resource, spans);
  first_attempt_ = env_.Now();
  SendAttempt();
}

void Exporter::SendAttempt() {
  status_ = 0;
  retry_after_.clear();
  answer_.clear();
  HttpRequest request;
  request.method = "POST";
  request.target = settings_.target;
  request.headers = settings_.headers;
  request.headers.Add("Content-Type", "application/json");
  request.body = body_;
  request.timeout = timeout_;
  call_ = transport_->Start(std::move(request), *this);
}

void Exporter::OnHeaders(int status, const HttpHeaders& headers) {
  status_ = status;
  retry_after_ = headers.Get("Retry-After");
}

void Exporter::OnData(std::string_view data) {
  answer_.append(data.substr(0, kMaxAnswer - std::min(kMaxAnswer, answer_.size())));
}

void Exporter::OnDone(Result<void> result) {
  call_.reset();
  if (!result) return Retry(result.error().message(), std::nullopt);
  if (status_ >= 200 && status_ < 300) {
    const PartialSuccess partial = DecodeResponse(answer_);
    const auto rejected =
        static_cast<std::size_t>(std::min<std::uint64_t>(partial.rejected_spans, batch_));
    if (rejected > 0) {
      Warn("the collector rejects " + std::to_string(rejected) + " of " + std::to_string(batch_) +
           " spans: " + base::Printable(partial.message));
    }
    return BatchEnds(rejected, 0);
  }
  const std::string why = "the collector answers with status " + std::to_string(status_) + ": " +
                          base::Printable(answer_.substr(0, kMaxTold));
  if (MayBeRepeated(status_)) return Retry(why, SecondsIn(retry_after_));
  GiveUp(why);
}

void Exporter::Retry(const std::string& why, std::optional<Duration> asked) {
  const Duration pause = asked ? std::min(*asked, kLongestPause) : backoff_.Next();
  if (env_.Now() + pause - *first_attempt_ > retry_for_) return GiveUp(why);
  Warn(why);
  timer_ = env_.loop().RunAt(env_.Now() + pause, [this] { SendAttempt(); });
}

void Exporter::GiveUp(const std::string& why) {
  Warn(why);
  BatchEnds(0, batch_);
}

void Exporter::BatchEnds(std::size_t rejected, std::size_t failed) {
  const std::size_t sent = batch_ - rejected - failed;
  if (failed == 0) backoff_.Reset();
  if (sent > 0) sent_->Add(static_cast<double>(sent));
  if (rejected > 0) rejected_->Add(static_cast<double>(rejected));
  if (failed > 0) failed_->Add(static_cast<double>(failed));
  bool more = false;
  bool at_once = false;
  std::uint64_t dropped = 0;
  {
    MonitorLock lock(*monitor_);
    stats_.sent += sent;
    stats_.rejected += rejected;
    stats_.failed += failed;
    done_ += batch_;
    dropped = stats_.dropped;
    more = awake_ = !waiting_.empty();
    at_once = waiting_.size() >= max_batch_ || flushes_ > 0;
    monitor_->NotifyAll();
  }
  batch_ = 0;
  body_ = std::string();
  if (dropped > drops_told_) {
    Warn(std::to_string(dropped - drops_told_) +
         " spans are dropped, as the queue is full; raise OtlpOptions::max_queued_spans, or "
         "sample fewer traces");
    drops_told_ = dropped;
  }
  // Later, since the caller may be the transport.
  if (more) WakeLoop(at_once);
}

void Exporter::Warn(const std::string& why) {
  const SteadyTime now = env_.Now();
  if (told_ && now - *told_ < kTellAgain) return;
  told_ = now;
  env_.log().Log(LogLevel::kWarning, "spans do not reach the collector",
                 {{"url", settings_.base_url + settings_.target}, {"why", why}});
}

Result<void> Exporter::Flush(Duration timeout) {
  if (env_.OnLoopThread()) {
    return base::WouldDeadlock(env_, "OtlpTracer::Flush waits for the loop that sends");
  }
  const SteadyTime deadline = base::After(env_.Now(), timeout);
  {
    MonitorLock lock(*monitor_);
    ++flushes_;
  }
  WakeLoop(/*at_once=*/true);
  MonitorLock lock(*monitor_);
  const std::uint64_t until = added_;
  bool in_time = true;
  while (done_ < until && !stopped_ && in_time) in_time = lock.WaitUntil(deadline);
  --flushes_;
  if (done_ >= until) return {};
  if (stopped_) return Error(Reason::kStopped, "the tracer has been destroyed");
  return Error(Reason::kDeadlineExceeded, "the collector has not taken all spans in time");
}

void Exporter::Stop() {
  {
    MonitorLock lock(*monitor_);
    stopped_ = true;
    monitor_->NotifyAll();
  }
  env_.loop().Post([self = shared_from_this()] { self->Release(); });
  if (env_.OnLoopThread() || base::IsForkedOff(env_)) return;
  MonitorLock lock(*monitor_);
  while (!released_) lock.Wait();
}

void Exporter::Release() {
  call_.reset();
  timer_ = Timer();
  transport_.reset();
  MonitorLock lock(*monitor_);
  released_ = true;
  monitor_->NotifyAll();
}

OtlpStats Exporter::Stats() const {
  MonitorLock lock(*monitor_);
  return stats_;
}

}  // namespace kinformer::internal::otlp
