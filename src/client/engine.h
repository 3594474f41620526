// client/engine.h
//
// Engine: the part of a Client that lives on the loop: transport, rate limiter, and knowledge about
// the server. Exchange: one request with all its attempts.

#ifndef KINFORMER_CLIENT_ENGINE_H_
#define KINFORMER_CLIENT_ENGINE_H_

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/rate_limiter.h"
#include "kinformer/base/result.h"
#include "kinformer/client/client.h"
#include "kinformer/client/transport.h"

#include "base/core/log_allowance.h"
#include "base/core/reserving_limiter.h"
#include "client/body_feed.h"
#include "client/limiter_waits.h"
#include "client/list_gate.h"
#include "client/refusals.h"
#include "client/request_log.h"
#include "client/request_metrics.h"
#include "client/request_span.h"
#include "client/version_question.h"

namespace kinformer::internal {

// A request. If both encodings are given, protobuf is sent until the server refuses it.
struct ExchangeRequest {
  std::string method{"GET"};
  std::string target{};
  std::string accept{};              // for JSON
  std::string accept_protobuf{};     // empty: JSON only
  std::string resource_key{};        // key under which a refusal of protobuf is remembered
  std::string content_type{};        // for the body
  HttpHeaders headers{};             // of the caller, in place of those that the client would send
  std::optional<int> max_retries{};  // at most those of the client
  std::function<std::string()> body{};
  // Used with its own content type where protobuf is allowed.
  std::function<std::string()> protobuf_body{};
  std::shared_ptr<client::BodyFeed> feed{};  // in place of these: the body comes piece by piece
  std::optional<Error> no_json{};  // error that ends the request where `body` would be sent
  ConnectionPool pool{ConnectionPool::kShort};
  Duration timeout{0};  // for all attempts together
  bool watch = false;
  // Asks to change to another protocol: only status 101 is success.
  bool upgrade = false;
  // Disables retries of refusals and broken connections; the caller retries at its own pace.
  bool once = false;
  bool throttled = true;  // a watch is never throttled
  // Limiter in place of the client's; null: none.
  std::optional<std::shared_ptr<flowcontrol::RateLimiter>> limiter{};
  bool unlimited = false;    // the client's timeout is not for it, nor for a watch
  bool ignore_body = false;  // used by RawCall
  bool conditional = false;  // the answer may be 304, without a body
};

namespace client {

class Exchange;

inline constexpr std::string_view kJsonMediaType = "application/json";
inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

// Loop-confined, except for construction, Describe and the read-only options. Shared by everything
// that has requests under way. Does not keep the Runtime alive, so that the loop can never join
// itself.
class Engine : public std::enable_shared_from_this<Engine> {
 public:
  // `options` are complete: qps, burst and user_agent have their final values.
  // `env` adds options.cluster_name to logs and metrics: base::NamedEnv.
  Engine(std::shared_ptr<Env> env, std::shared_ptr<Transport> transport, ClientOptions options);
  Engine(Env& env, std::shared_ptr<Transport> transport, const ClientOptions& options);
  ~Engine();

  [[nodiscard]] Env& env() { return env_; }
  [[nodiscard]] const ClientOptions& options() const { return options_; }
  [[nodiscard]] const std::string& Describe() const { return description_; }
  // Null: requests are not limited.
  [[nodiscard]] const std::shared_ptr<flowcontrol::RateLimiter>& limiter() const {
    return limiter_;
  }
  // Null after shutdown.
  [[nodiscard]] Transport* transport() { return transport_.get(); }
  [[nodiscard]] ListGate& list_gate() { return *list_gate_; }
  [[nodiscard]] VersionQuestions& version_questions() { return version_questions_; }
  [[nodiscard]] Refusals& watch_list_refusals() { return watch_list_refusals_; }
  // Remembers the resources of which the server sends all shards, whatever is selected.
  [[nodiscard]] Refusals& shard_refusals() { return shard_refusals_; }

  // Ends all exchanges with kStopped and releases the transport.
  void ShutDown();

  // Returns whether requests for the resource may use protobuf: true until the server refuses it.
  [[nodiscard]] bool ProtobufAllowed(const std::string& resource_key) const {
    return !options_.prefer_json && json_only_.count(resource_key) == 0;
  }

 private:
  friend class Exchange;
  void HandleWarnings(const HttpHeaders& headers);
  // Null if nobody reads metrics. Made when it is first needed, so that idle clients stay small.
  [[nodiscard]] RequestMetrics* metrics();
  // Records that a request waits for the limiter. Logs long waits, at most every ten seconds.
  // `bucket`: null for a limiter of the program.
  void NoteThrottled(Duration wait, const std::string& request,
                     const base::ReservingLimiter* bucket);

  const std::shared_ptr<Env> named_env_;
  Env& env_;
  std::shared_ptr<Transport> transport_;
  const ClientOptions options_;
  const std::string description_;
  const std::shared_ptr<flowcontrol::RateLimiter> limiter_;
  LimiterWaits limiter_waits_;
  std::shared_ptr<ListGate> list_gate_;
  VersionQuestions version_questions_;
  Refusals watch_list_refusals_;
  Refusals shard_refusals_;
  bool reached_ = false;   // the server has answered at least once
  Duration throttled_{0};  // waits since the last log line about them
  std::optional<SteadyTime> throttling_told_;
  std::set<std::string> json_only_;
  std::set<std::string> warned_;
  base::LogAllowance warning_lines_;
  std::unique_ptr<RequestMetrics> metrics_;
  std::list<Exchange*> active_;  // oldest first: makes a shutdown deterministic
};

// One request: waits for the rate limiter, sends, and retries where that is allowed. Loop-confined.
// Destroying it cancels the request.
//
// Retry-After is kept to the second, as client-go does, since callers may rely on it: these are
// single calls of different callers, and the rate limiter spreads those of one client. Lists and
// watches, which may come back by the hundred, set `once` instead; the reflector repeats them with
// jitter.
//
// The receiver gets only the final response: not those that lead to another attempt. If the server
// refuses, it gets only OnDone, with the Status as Error.
class Exchange final : public ResponseReceiver {
 public:
  Exchange(std::shared_ptr<Engine> engine, ExchangeRequest&& request, ResponseReceiver& receiver);
  ~Exchange() override;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Call once. Never calls the receiver before returning.
  void Start();
  // Ends the request; the receiver gets `why`. Must not be called inside OnHeaders or OnData.
  void Abort(Error why) { Finish(std::move(why)); }

  // Stops reading the response, and goes on.
  void SetPaused(bool paused);
  // Sends bytes of another protocol, and counts those that wait: see HttpCall.
  void Send(std::string_view bytes);
  [[nodiscard]] std::size_t unsent();

  [[nodiscard]] const ExchangeRequest& request() const { return request_; }

 private:
  void Throttle();
  void WaitForToken(std::shared_ptr<base::ReservingLimiter> bucket);
  void WaitForLimiter(const std::shared_ptr<flowcontrol::RateLimiter>& limiter);
  [[nodiscard]] const std::shared_ptr<flowcontrol::RateLimiter>& limiter() const;
  // Notes that the limiter has let this pass, or was no longer asked, after `wait`.
  void Throttled(Duration wait);
  void CountAttempt(const std::string& code);
  // Observes the size of the answer that the caller gets.
  void ObserveAnswer();
  [[nodiscard]] Error TooLate(const std::string& why) const;
  void SendAttempt();
  void OnSent() override;
  void OnHeaders(int status, const HttpHeaders& headers) override;
  void OnData(std::string_view data) override;
  void OnDone(Result<void> result) override;
  // Handles a missing or unusable response.
  void OnNoAnswer(Error error);
  void OnRefusal();
  // Returns whether the body can be sent again. If not, says so in `error`.
  bool MayRepeat(Error& error) const;
  // Sends again after `delay`. Returns false if no attempts are left.
  bool Retry(Duration delay, Error reason);
  void Finish(Result<void> result);
  // Records the end of the request.
  void Conclude(const Result<void>& result);

  const std::shared_ptr<Engine> engine_;
  const std::list<Exchange*>::iterator place_;  // in engine_->active_, until done_
  ExchangeRequest request_;
  ResponseReceiver& receiver_;
  std::unique_ptr<HttpCall> call_;
  Timer timer_;
  Timer deadline_;
  SteadyTime end_ = SteadyTime::max();         // when deadline_ expires
  std::unique_ptr<RequestLog> log_;            // null: requests are not logged
  std::unique_ptr<RequestSpan> span_;          // null: nobody traces
  std::optional<SteadyTime> waits_for_token_;  // since when
  // Where a token was taken for which this waits; null for a limiter of the program.
  std::shared_ptr<base::ReservingLimiter> bucket_;
  LimiterWait limiter_wait_;
  bool done_ = false;

  // State of all attempts together.
  std::optional<SteadyTime> begun_;
  Duration throttled_{0};
  int attempts_ = 0;
  std::optional<SteadyTime> answered_;  // when the answer of the last attempt began

  int retries_ = 0;
  bool credentials_refreshed_ = false;
  bool sent_protobuf_ = false;
  std::optional<Error> previous_error_;

  // State of the current attempt.
  SteadyTime sent_{};
  int status_ = 0;
  bool accepted_ = false;
  std::size_t answer_bytes_ = 0;
  HttpHeaders refusal_headers_;
  std::string error_body_;
};

}  // namespace client
}  // namespace kinformer::internal

#endif  // KINFORMER_CLIENT_ENGINE_H_
