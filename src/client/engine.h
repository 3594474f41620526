// client/engine.h
//
// Engine: the part of a Client that lives on the loop: the transport, the rate limiter, what was
// learned about the server. And Exchange: one request with all its attempts.

#ifndef KINFORMER_CLIENT_ENGINE_H_
#define KINFORMER_CLIENT_ENGINE_H_

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/client.h"
#include "kinformer/env.h"
#include "kinformer/internal/token_bucket.h"
#include "kinformer/metrics.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

#include "base/core/log_allowance.h"
#include "client/list_gate.h"
#include "client/version_question.h"
#include "client/watch_list_refusals.h"

namespace kinformer::internal {

// What to send. Where both encodings are given, protobuf is sent until the server refuses it.
struct ExchangeRequest {
  std::string method{"GET"};
  std::string target{};
  std::string accept{};           // for JSON
  std::string accept_protobuf{};  // empty: JSON only
  std::string resource_key{};     // what a refusal of protobuf is remembered by
  std::string content_type{};     // of the body
  std::function<std::string()> body{};
  // Used, with its own content type, where protobuf is allowed.
  std::function<std::string()> protobuf_body{};
  std::optional<Error> no_json{};  // what the request ends with where `body` would have to be sent
  ConnectionPool pool{ConnectionPool::kShort};
  Duration timeout{0};  // of all attempts together
  bool watch = false;
  // Neither refusals nor broken connections are repeated here: who asked does that at its own pace.
  bool once = false;
  bool throttled = true;     // a watch never is
  bool ignore_body = false;  // of RawCall
};

namespace client {

class Exchange;

inline constexpr std::string_view kJsonMediaType = "application/json";
inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

// Loop-confined, apart from construction, Describe and the read-only options. Shared by everything
// that has requests under way; does not keep the Runtime alive, so that nothing on the loop can end
// up joining the loop.
class Engine : public std::enable_shared_from_this<Engine> {
 public:
  // `options` are complete: qps, burst and user_agent have their final values.
  // `env` is where options.cluster_name is told: base::NamedEnv.
  Engine(std::shared_ptr<Env> env, std::shared_ptr<Transport> transport, ClientOptions options);
  Engine(Env& env, std::shared_ptr<Transport> transport, const ClientOptions& options);
  ~Engine();

  [[nodiscard]] Env& env() { return env_; }
  [[nodiscard]] const ClientOptions& options() const { return options_; }
  [[nodiscard]] const std::string& Describe() const { return description_; }
  // Null once shut down.
  [[nodiscard]] Transport* transport() { return transport_.get(); }
  [[nodiscard]] ListGate& list_gate() { return *list_gate_; }
  [[nodiscard]] VersionQuestions& version_questions() { return version_questions_; }
  [[nodiscard]] WatchListRefusals& watch_list_refusals() { return watch_list_refusals_; }

  // Ends all exchanges with kStopped and lets go of the transport.
  void ShutDown();

  // Whether requests for the resource may use protobuf: until the server has refused it.
  [[nodiscard]] bool ProtobufAllowed(const std::string& resource_key) const {
    return !options_.prefer_json && json_only_.count(resource_key) == 0;
  }

 private:
  friend class Exchange;
  void HandleWarnings(const HttpHeaders& headers);
  void CountResponse(const std::string& code, const std::string& method);
  // A request has to wait for the limiter. Says so where that is long, at most every ten seconds.
  void NoteThrottled(Duration wait, const std::string& request);

  const std::shared_ptr<Env> named_env_;
  Env& env_;
  std::shared_ptr<Transport> transport_;
  const ClientOptions options_;
  const std::string description_;
  TokenBucket limiter_;
  std::shared_ptr<ListGate> list_gate_;
  VersionQuestions version_questions_;
  WatchListRefusals watch_list_refusals_;
  bool reached_ = false;   // the server has answered something
  Duration throttled_{0};  // waits since the last word about them
  std::optional<SteadyTime> throttling_told_;
  std::set<std::string> json_only_;
  std::set<std::string> warned_;
  base::LogAllowance warning_lines_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Counter>> response_counters_;
  std::list<Exchange*> active_;  // oldest first: a shutdown is the same in each run
};

// One request: waits for the rate limiter, sends, repeats what may be repeated. Loop-confined.
// Destroying it abandons the request.
//
// The pause that a refusal's Retry-After asks for is kept to the second, as client-go keeps it and
// callers may have reckoned with it: these are single calls, each with a caller of its own, and the
// rate limiter spreads those of one client. Who returns by the hundred, lists and watches, asks for
// `once` and has the reflector's pace, which has jitter.
//
// The receiver is shown the answer that counts: not those that lead to another attempt, and of a
// server that refuses nothing but OnDone, with its Status as Error.
class Exchange final : public ResponseReceiver {
 public:
  Exchange(std::shared_ptr<Engine> engine, ExchangeRequest request, ResponseReceiver& receiver);
  ~Exchange() override;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Call once. Does not call the receiver before it has returned.
  void Start();
  // Ends the request; the receiver gets `why`. Not from inside OnHeaders or OnData.
  void Abort(Error why) { Finish(std::move(why)); }

  [[nodiscard]] const ExchangeRequest& request() const { return request_; }

 private:
  void Throttle();
  [[nodiscard]] Error TooLate(const std::string& why) const;
  void Send();
  void OnHeaders(int status, const HttpHeaders& headers) override;
  void OnData(std::string_view data) override;
  void OnDone(Result<void> result) override;
  // No response came; or one that is not wanted.
  void OnNoAnswer(Error error);
  void OnRefusal();
  // Sends again after `delay`. False if the attempts are used up.
  bool Retry(Duration delay, Error reason);
  void Finish(Result<void> result);

  const std::shared_ptr<Engine> engine_;
  const std::list<Exchange*>::iterator place_;  // in engine_->active_, until done_
  ExchangeRequest request_;
  ResponseReceiver& receiver_;
  std::unique_ptr<HttpCall> call_;
  Timer timer_;
  Timer deadline_;
  SteadyTime end_ = SteadyTime::max();  // when deadline_ passes
  bool waits_for_token_ = false;
  bool done_ = false;

  int retries_ = 0;
  bool credentials_refreshed_ = false;
  bool sent_protobuf_ = false;
  std::optional<Error> previous_error_;

  // Of the current attempt.
  SteadyTime sent_{};
  int status_ = 0;
  bool accepted_ = false;
  HttpHeaders headers_;
  std::string error_body_;
};

}  // namespace client
}  // namespace kinformer::internal

#endif  // KINFORMER_CLIENT_ENGINE_H_
