#include "client/engine.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <utility>

#include "base/core/deadline.h"
#include "base/core/named_env.h"
#include "base/core/seconds.h"
#include "base/core/user_call.h"
#include "client/retry_after.h"
#include "client/status.h"
#include "client/trace_context.h"
#include "client/url_template.h"
#include "client/warnings.h"

namespace kinformer::internal::client {
namespace {

// An error body is a Status: a few hundred bytes, or some kilobytes with many causes.
constexpr std::size_t kMaxErrorBody = std::size_t{256} << 10;
constexpr Duration kTransportRetryDelay = std::chrono::seconds(1);
// A connection that took longer to break will probably do so again: the caller gets the error.
constexpr Duration kQuickBreak = std::chrono::seconds(20);
constexpr Duration kLongThrottle = std::chrono::seconds(1);
constexpr Duration kThrottleLogPeriod = std::chrono::seconds(10);
constexpr std::size_t kMaxRememberedWarnings = 1000;
constexpr std::size_t kMaxRememberedBytes = 256;  // for each

// Shortens the key of a remembered warning, whose text may be as long as a header.
std::string Remembered(const std::string& text) {
  if (text.size() <= kMaxRememberedBytes) return text;
  return text.substr(0, kMaxRememberedBytes) + std::to_string(std::hash<std::string>()(text));
}

std::optional<int> RetryAfterSeconds(const HttpHeaders& headers) {
  const std::string_view text = headers.Get("Retry-After");
  int seconds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (end != text.data() + text.size() || seconds < 0) return std::nullopt;
  if (failure == std::errc::result_out_of_range) return std::numeric_limits<int>::max();
  if (failure != std::errc()) return std::nullopt;
  return seconds;
}

// Returns the transport's name in messages. The transport may be the program's own.
std::string DescriptionOf(Env& env, const Transport& transport) {
  std::string text = "the transport";
  (void)base::CallUser(env, "Transport::Describe", [&] { text = transport.Describe(); });
  return text;
}

// Returns what limits the client's requests; null: nothing.
std::shared_ptr<flowcontrol::RateLimiter> LimiterOf(Env& env, const ClientOptions& options) {
  if (options.rate_limiter != nullptr) return options.rate_limiter;
  if (!(options.qps > 0)) return nullptr;
  return flowcontrol::NewTokenBucketRateLimiter(env, options.qps, options.burst);
}

bool IsWarningHeader(std::string_view name) {
  constexpr std::string_view kName = "warning";
  return std::equal(name.begin(), name.end(), kName.begin(), kName.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

Engine::Engine(Env& env, std::shared_ptr<Transport> transport, const ClientOptions& options)
    : Engine(base::NamedEnv(env, options.cluster_name), std::move(transport), options) {}

Engine::Engine(std::shared_ptr<Env> env, std::shared_ptr<Transport> transport,
               ClientOptions options)
    : named_env_(std::move(env)),
      env_(*named_env_),
      transport_(std::move(transport)),
      options_(std::move(options)),
      description_(DescriptionOf(env_, *transport_)),
      limiter_(LimiterOf(env_, options_)),
      limiter_waits_(named_env_),
      list_gate_(std::make_shared<ListGate>(env_, options_.max_initial_lists)),
      watch_list_refusals_(env_),
      shard_refusals_(env_),
      warning_lines_(env_) {}

Engine::~Engine() {
  // A transport is loop-confined, including its destruction.
  if (transport_ != nullptr && !env_.loop().InThisExecutor()) {
    env_.loop().Post([transport = std::move(transport_)] {});
  }
}

void Engine::ShutDown() {
  while (!active_.empty())
    active_.front()->Abort(Error(Reason::kStopped, "the client is shut down"));
  transport_.reset();
}

void Engine::HandleWarnings(const HttpHeaders& headers) {
  for (const auto& [name, value] : headers) {
    if (!IsWarningHeader(name)) continue;
    for (const Warning& warning : ParseWarningHeader(value)) {
      if (warning.code != 299 || warning.text.empty()) continue;
      if (warned_.size() >= kMaxRememberedWarnings) warned_.clear();
      if (!warned_.insert(Remembered(warning.text)).second) continue;
      if (options_.warning_handler) {
        (void)base::CallUser(env_, "the warning handler",
                             [&] { options_.warning_handler(warning.text); });
      } else if (warning_lines_.Take()) {
        env_.log().Log(LogLevel::kWarning, "the server warns", {{"warning", warning.text}});
      }
    }
  }
  if (const std::size_t untold = warning_lines_.TakeUntold(); untold != 0) {
    env_.log().Log(LogLevel::kWarning, "the server warns of more than is told here",
                   {{"times", std::to_string(untold)}});
  }
}

RequestMetrics* Engine::metrics() {
  if (metrics_ == nullptr && env_.metrics().enabled()) {
    metrics_ = std::make_unique<RequestMetrics>(env_, description_);
  }
  return metrics_.get();
}

void Engine::NoteThrottled(Duration wait, const std::string& request,
                           const base::ReservingLimiter* bucket) {
  throttled_ += wait;
  // Many short waits in a row are a long wait for the caller.
  if (throttled_ <= kLongThrottle) return;
  if (throttling_told_ && env_.Now() - *throttling_told_ < kThrottleLogPeriod) return;
  throttling_told_ = env_.Now();
  const std::string all = base::SecondsText(std::exchange(throttled_, Duration::zero()));
  if (bucket == nullptr) {
    env_.log().Log(
        LogLevel::kWarning,
        "requests wait for the rate limiter that the program has given, not for the server",
        {{"seconds", base::SecondsText(wait)}, {"seconds_of_all", all}, {"request", request}});
    return;
  }
  env_.log().Log(LogLevel::kWarning,
                 "requests wait for the client-side rate limit, not for the server; raise "
                 "ClientOptions::qps and burst if the server can take more",
                 {{"seconds", base::SecondsText(wait)},
                  {"seconds_of_all", all},
                  {"request", request},
                  {"qps", std::to_string(bucket->QPS())},
                  {"burst", std::to_string(bucket->burst())}});
}

Exchange::Exchange(std::shared_ptr<Engine> engine, ExchangeRequest&& request,
                   ResponseReceiver& receiver)
    : engine_(std::move(engine)),
      place_(engine_->active_.insert(engine_->active_.end(), this)),
      request_(std::move(request)),
      receiver_(receiver) {
  // Here, since a list starts later, when its turn has come.
  AddCurrentSpan(request_.headers);
}

Exchange::~Exchange() {
  if (!done_) {
    engine_->active_.erase(place_);
    Conclude(Error(Reason::kCanceled, "the caller has ended the request"));
  }
  if (bucket_ != nullptr) bucket_->Return();
}

void Exchange::Start() {
  Env& env = engine_->env();
  begun_ = env.Now();
  log_ = RequestLog::New(env, engine_->options().verbosity, engine_->Describe(), request_.watch);
  span_ = RequestSpan::New(env, request_.method, request_.target, request_.headers,
                           engine_->Describe());
  if (engine_->transport() == nullptr) {
    timer_ = env.loop().RunAt(
        env.Now(), [this] { Finish(Error(Reason::kStopped, "the client is shut down")); });
    return;
  }
  const Duration timeout =
      request_.timeout > Duration::zero() ? request_.timeout : Duration(engine_->options().timeout);
  if (!request_.watch && !request_.unlimited && timeout > Duration::zero()) {
    end_ = base::After(env.Now(), timeout);
    deadline_ = env.loop().RunAt(
        end_, [this] { Finish(TooLate("no answer from " + engine_->Describe() + " in time")); });
  }
  // A watch is one long request: limiting it would only delay caches.
  if (request_.watch || !request_.throttled) {
    SendAttempt();
  } else {
    Throttle();
  }
}

void Exchange::SetPaused(bool paused) {
  if (call_ == nullptr) return;
  (void)base::CallUser(engine_->env(), "HttpCall::SetPaused", [&] { call_->SetPaused(paused); });
}

void Exchange::Send(std::string_view bytes) {
  if (call_ == nullptr) return;
  (void)base::CallUser(engine_->env(), "HttpCall::Send", [&] { call_->Send(bytes); });
}

std::size_t Exchange::unsent() {
  std::size_t bytes = 0;
  if (call_ == nullptr) return bytes;
  (void)base::CallUser(engine_->env(), "HttpCall::unsent", [&] { bytes = call_->unsent(); });
  return bytes;
}

void Exchange::OnSent() {
  if (accepted_) receiver_.OnSent();
}

Error Exchange::TooLate(const std::string& why) const {
  std::string message = request_.method + " " + request_.target + ": " + why;
  if (previous_error_) message += " - error from a previous attempt: " + previous_error_->message();
  return {Reason::kDeadlineExceeded, std::move(message)};
}

const std::shared_ptr<flowcontrol::RateLimiter>& Exchange::limiter() const {
  return request_.limiter ? *request_.limiter : engine_->limiter_;
}

void Exchange::Throttle() {
  const std::shared_ptr<flowcontrol::RateLimiter>& limiter = this->limiter();
  if (limiter == nullptr) return SendAttempt();
  if (auto bucket = std::dynamic_pointer_cast<base::ReservingLimiter>(limiter)) {
    WaitForToken(std::move(bucket));
  } else {
    WaitForLimiter(limiter);
  }
}

void Exchange::WaitForToken(std::shared_ptr<base::ReservingLimiter> bucket) {
  Env& env = engine_->env();
  const std::optional<Duration> reserved = bucket->Reserve();
  if (!reserved) {
    Throttled(Duration::zero());
    timer_ = env.loop().RunAt(env.Now(), [this] {
      Finish(Error(Reason::kStopped, request_.method + " " + request_.target +
                                         ": the client's rate limiter is stopped"));
    });
    return;
  }
  const Duration wait = *reserved;
  if (wait <= Duration::zero()) {
    Throttled(Duration::zero());
    SendAttempt();
    return;
  }
  if (wait > end_ - env.Now()) {
    bucket->Return();
    Throttled(Duration::zero());
    timer_ = env.loop().RunAt(env.Now(), [this] {
      Finish(TooLate(
          "its time would be over before this client's own rate limiter lets it pass; raise "
          "ClientOptions::qps and burst"));
    });
    return;
  }
  engine_->NoteThrottled(wait, request_.method + " " + request_.target, bucket.get());
  waits_for_token_ = env.Now();
  bucket_ = std::move(bucket);
  timer_ = env.loop().RunAt(env.Now() + wait, [this] {
    Throttled(engine_->env().Now() - *waits_for_token_);
    waits_for_token_.reset();
    bucket_.reset();
    SendAttempt();
  });
}

void Exchange::WaitForLimiter(const std::shared_ptr<flowcontrol::RateLimiter>& limiter) {
  waits_for_token_ = engine_->env().Now();
  limiter_wait_ = engine_->limiter_waits_.Begin(limiter, end_, [this](const Result<void>& passed) {
    const Duration waited = engine_->env().Now() - *std::exchange(waits_for_token_, std::nullopt);
    Throttled(waited);
    const std::string request = request_.method + " " + request_.target;
    if (!passed) {
      const Error& why = passed.error();
      return Finish(Error(why.reason(), request + ": the rate limiter: " + why.message()));
    }
    engine_->NoteThrottled(waited, request, nullptr);
    SendAttempt();
  });
}

void Exchange::Throttled(Duration wait) {
  throttled_ += wait;
  if (limiter() == nullptr || engine_->metrics() == nullptr) return;
  engine_->metrics()->ObserveThrottling(request_.method, wait);
}

void Exchange::CountAttempt(const std::string& code) {
  if (engine_->metrics() == nullptr) return;
  engine_->metrics()->CountAttempt(code, request_.method, /*again=*/attempts_ > 1);
}

void Exchange::SendAttempt() {
  status_ = 0;
  answer_bytes_ = 0;
  answered_.reset();
  error_body_.clear();
  sent_ = engine_->env().Now();

  HttpRequest http;
  http.method = request_.method;
  http.target = request_.target;
  http.pool = request_.pool;
  const bool protobuf = engine_->ProtobufAllowed(request_.resource_key);
  if (request_.no_json && !(protobuf && request_.protobuf_body)) {
    Env& env = engine_->env();  // not from within Start: the receiver may destroy this
    timer_ = env.loop().RunAt(env.Now(), [this] { Finish(*request_.no_json); });
    return;
  }
  sent_protobuf_ = protobuf && (!request_.accept_protobuf.empty() || request_.protobuf_body);
  http.headers = request_.headers;
  if (span_ != nullptr) span_->AddTo(http.headers);
  const auto add = [&http](std::string_view name, std::string_view value) {
    if (!http.headers.Has(name)) http.headers.Add(name, value);
  };
  add("Accept", protobuf && !request_.accept_protobuf.empty()
                    ? request_.accept_protobuf
                    : (request_.accept.empty() ? std::string(kJsonMediaType) : request_.accept));
  // Calls code of the program: its struct makes the JSON, and the transport may be its own.
  Result<void> sent = base::CallUser(engine_->env(), "what makes or sends a request", [&] {
    if (protobuf && request_.protobuf_body) {
      add("Content-Type", kProtobufMediaType);
      http.body = request_.protobuf_body();
    } else if (request_.feed != nullptr) {
      add("Content-Type", request_.content_type);
      http.body_pipe = request_.feed->Open();
    } else if (request_.body) {
      add("Content-Type", request_.content_type);
      http.body = request_.body();
    }
    add("User-Agent", engine_->options().user_agent);
    if (engine_->options().accept_gzip) add("Accept-Encoding", "gzip");
    ++attempts_;
    if (log_ != nullptr) log_->Sent(http);
    // The size of a body that comes piece by piece may be unknown.
    const std::uint64_t size =
        request_.feed != nullptr ? http.body_pipe->size().value_or(0) : http.body.size();
    if (!request_.watch && engine_->metrics() != nullptr) {
      engine_->metrics()->ObserveRequestSize(request_.method, size);
    }
    call_ = engine_->transport()->Start(std::move(http), *this);
  });
  if (sent) return;
  timer_ = engine_->env().loop().RunAt(
      engine_->env().Now(),
      [this, why = std::move(sent).error()]() mutable { Finish(std::move(why)); });
}

void Exchange::ObserveAnswer() {
  if (request_.watch || engine_->metrics() == nullptr) return;
  engine_->metrics()->ObserveResponseSize(request_.method, answer_bytes_);
}

void Exchange::OnHeaders(int status, const HttpHeaders& headers) {
  status_ = status;
  answered_ = engine_->env().Now();
  if (log_ != nullptr) log_->Answered(status, headers);
  if (span_ != nullptr) span_->Answered(status);
  engine_->reached_ = true;
  CountAttempt(std::to_string(status));
  engine_->HandleWarnings(headers);
  bool success = status >= 200 && status <= 206;
  if (request_.watch) success = status == 200;
  if (request_.conditional) success = success || status == 304;
  if (request_.upgrade) success = status == 101;
  if (success) {
    accepted_ = true;
    receiver_.OnHeaders(status, headers);
  } else {
    refusal_headers_ = headers;
  }
}

void Exchange::OnData(std::string_view data) {
  answer_bytes_ += data.size();
  if (log_ != nullptr) log_->Received(data);
  if (accepted_) {
    receiver_.OnData(data);
  } else {
    error_body_.append(data.substr(0, kMaxErrorBody - std::min(kMaxErrorBody, error_body_.size())));
  }
}

void Exchange::OnDone(Result<void> result) {
  if (log_ != nullptr) log_->Ended(result);
  call_.reset();
  if (accepted_) {
    if (result) ObserveAnswer();
    Finish(std::move(result));
  } else if (status_ == 0) {
    CountAttempt("<error>");
    OnNoAnswer(result ? Error(Reason::kUnexpectedEof, "the connection ended before a response came")
                      : std::move(result).error());
  } else {
    OnRefusal();
  }
}

void Exchange::OnNoAnswer(Error error) {
  // Retries only reads whose connection broke: they surely had no effect. A refused connection will
  // not be better in a second, nor a bad certificate or an unknown host; a server that has answered
  // before has none of these.
  const bool broke = error.reason() == Reason::kUnexpectedEof ||
                     (error.reason() == Reason::kTransport && engine_->reached_);
  const bool slow = error.reason() == Reason::kDeadlineExceeded && request_.watch;
  const bool quick = engine_->env().Now() - sent_ < kQuickBreak;
  const bool may_repeat = !broke || MayRepeat(error);
  if (!request_.once && may_repeat && request_.method == "GET" && ((broke && quick) || slow)) {
    if (Retry(kTransportRetryDelay, error)) return;
    if (request_.watch) {  // an empty watch: the caller opens the next one
      Finish(Result<void>());
      return;
    }
  }
  if (previous_error_ && previous_error_->message() != error.message()) {
    error =
        Error(error.reason(),
              error.message() + " - error from a previous attempt: " + previous_error_->message());
  }
  Finish(std::move(error));
}

void Exchange::OnRefusal() {
  if (request_.upgrade && status_ < 300) {
    return Finish(Error(Reason::kTransport,
                        request_.method + " " + request_.target +
                            ": the server, or a proxy before it, answers with status " +
                            std::to_string(status_) +
                            " and does not change to a WebSocket; use a server of Kubernetes 1.30 "
                            "or later, and a proxy that passes the header Upgrade on"));
  }
  const std::optional<int> retry_after = RetryAfterSeconds(refusal_headers_);
  Error error = ErrorOfResponse(request_.method, status_, refusal_headers_.Get("Content-Type"),
                                error_body_, retry_after);
  if (status_ == 400) error = AsForTls(error, engine_->Describe()).value_or(error);
  if (status_ == 401 && !credentials_refreshed_ && engine_->options().refresh_credentials) {
    credentials_refreshed_ = true;
    bool fresh = false;
    (void)base::CallUser(engine_->env(), "refresh_credentials",
                         [&] { fresh = engine_->options().refresh_credentials(); });
    if (fresh && MayRepeat(error)) {
      SendAttempt();
      return;
    }
  }
  if ((status_ == 406 || status_ == 415) && sent_protobuf_) {
    engine_->json_only_.insert(request_.resource_key);
    if (MayRepeat(error)) {
      SendAttempt();
      return;
    }
  }
  if ((status_ == 429 || status_ >= 500) && retry_after && MayRepeat(error)) {
    const Duration asked = std::chrono::seconds(*retry_after);
    const Duration pause = std::min(asked, kLongestPause);
    if (Retry(pause, error)) {
      engine_->env().log().Log(pause > kLongThrottle ? LogLevel::kWarning : LogLevel::kInfo,
                               "the server asks to wait before the request is repeated",
                               {{"request", request_.method + " " + request_.target},
                                {"status", std::to_string(status_)},
                                {"asked_seconds", base::SecondsText(asked)},
                                {"seconds", base::SecondsText(pause)}});
      return;
    }
  }
  if (answer_bytes_ > 0) ObserveAnswer();
  Finish(std::move(error));
}

bool Exchange::MayRepeat(Error& error) const {
  if (request_.feed == nullptr || request_.feed->rewinds()) return true;
  error.WithContext(
      "not sent again, because its body can be read only once; BodyStream::open gives one that "
      "can be read again");
  return false;
}

bool Exchange::Retry(Duration delay, Error reason) {
  const int most = std::min(engine_->options().max_retries,
                            request_.max_retries.value_or(std::numeric_limits<int>::max()));
  if (request_.once || retries_ >= most) return false;
  ++retries_;
  if (span_ != nullptr) span_->Retries(reason, delay);
  previous_error_ = std::move(reason);
  Env& env = engine_->env();
  timer_ = env.loop().RunAt(env.Now() + delay, [this] { Throttle(); });
  return true;
}

void Exchange::Finish(Result<void> result) {
  if (done_) return;
  done_ = true;
  call_.reset();
  deadline_.Cancel();
  timer_.Cancel();
  limiter_wait_ = LimiterWait();
  engine_->active_.erase(place_);
  Conclude(result);
  receiver_.OnDone(std::move(result));  // may destroy this
}

void Exchange::Conclude(const Result<void>& result) {
  if (!begun_) return;
  const SteadyTime now = engine_->env().Now();
  if (log_ != nullptr) log_->Ended(result);
  if (waits_for_token_) Throttled(now - *waits_for_token_);
  if (!request_.watch && engine_->metrics() != nullptr) {
    engine_->metrics()->ObserveDuration(request_.method, now - *begun_);
  }
  const bool observed = static_cast<bool>(engine_->options().request_observer);
  if (!observed && span_ == nullptr) return;
  RequestRecord record;
  record.method = request_.method;
  record.url_template = UrlTemplate(request_.target);
  record.resource = ResourceOfTarget(request_.target);
  record.watch = request_.watch;
  record.status = status_;
  if (!result) record.error = result.error();
  record.attempts = attempts_;
  record.throttled = throttled_;
  if (answered_) record.answer_began = *answered_ - *begun_;
  record.duration = now - *begun_;
  record.traceparent = request_.headers.Get("traceparent");
  if (span_ != nullptr) span_->End(record);
  if (!observed) return;
  (void)base::CallUser(engine_->env(), "the request observer",
                       [&] { engine_->options().request_observer(record); });
}

}  // namespace kinformer::internal::client
