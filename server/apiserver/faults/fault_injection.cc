#include "apiserver/faults/fault_injection.h"

#include <string>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/faults/faulty_body.h"
#include "apiserver/faults/faulty_watch.h"
#include "base/core/http_code.h"

namespace kinformer::apiserver {
namespace {

// Breaks the connection before any answer.
class Refusal final : public ResponseStream {
 public:
  [[nodiscard]] int status() const override { return 0; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  State Read(std::size_t, std::vector<BodyChunk>&) override { return State::kAbort; }
  void SetWake(std::function<void()>) override {}
  [[nodiscard]] ConnectionEffect effect() const override {
    return {.cut = ConnectionEffect::Cut::kConnection};
  }

 private:
  HttpHeaders headers_;
};

ResponsePtr Respond(const FaultRule& rule, std::string_view accept) {
  if (!rule.text.empty()) {
    HttpHeaders headers;
    headers.Add("Content-Type",
                rule.content_type.empty() ? "text/plain; charset=utf-8" : rule.content_type);
    if (rule.retry_after) headers.Add("Retry-After", std::to_string(rule.retry_after->count()));
    return WholeResponse(rule.status, std::move(headers), rule.text);
  }
  Reason reason = Reason::kInternalError;
  for (const Reason candidate :
       {Reason::kBadRequest, Reason::kUnauthorized, Reason::kForbidden, Reason::kNotFound,
        Reason::kMethodNotAllowed, Reason::kNotAcceptable, Reason::kConflict, Reason::kExpired,
        Reason::kUnsupportedMediaType, Reason::kInvalid, Reason::kTooManyRequests,
        Reason::kServiceUnavailable, Reason::kTimeout}) {
    if (internal::base::HttpCode(Error(candidate, "")) == rule.status) reason = candidate;
  }
  Error error(reason, "injected fault");
  error.WithHttpStatus(rule.status);
  if (rule.retry_after) error.WithRetryAfter(*rule.retry_after);
  return ErrorResponse(error, accept);
}

// Returns the state that reads hit by the rule see.
ReadView ViewOf(ServerState& state, const FaultRule& rule) {
  switch (rule.action) {
    case FaultAction::kOldResourceVersion:
      return {.expired = true};
    case FaultAction::kStaleRead:
      return {.list_behind = rule.versions};
    case FaultAction::kStaleCache:
      return {.cache_behind = rule.versions};
    case FaultAction::kReplayEvents:
      return {.watch_behind = rule.versions};
    default:
      return {.wrap_watch = [&state, rule](const ObjectEncoder& encoder, std::int64_t start,
                                           ResponsePtr watch) {
        return NewFaultyWatch(state, encoder, start, rule, std::move(watch));
      }};
  }
}

}  // namespace

ResponsePtr InjectFault(ServerState& state, const FaultRule& rule, std::string_view accept,
                        std::function<ResponsePtr(ReadView)> route) {
  switch (rule.action) {
    case FaultAction::kRefuse:
      return std::make_unique<Refusal>();
    case FaultAction::kRespond:
      return Respond(rule, accept);
    case FaultAction::kDelay:
      return Delayed(state, rule.delay, [run = std::move(route)] { return run({}); });
    case FaultAction::kCutBody:
    case FaultAction::kEndBody:
    case FaultAction::kStall:
    case FaultAction::kGarbage:
    case FaultAction::kDrip:
    case FaultAction::kGoAway:
    case FaultAction::kBreakConnection:
    case FaultAction::kStallConnection:
    case FaultAction::kStreamLimit:
      return NewFaultyBody(state, route({}), rule);
    case FaultAction::kSkewClock: {
      // All objects of the request are created within this call.
      const Duration before = std::exchange(state.clock_skew, rule.skew);
      ResponsePtr answer = route({});
      state.clock_skew = before;
      return NewFaultyBody(state, std::move(answer), rule);
    }
    default:
      return route(ViewOf(state, rule));
  }
}

}  // namespace kinformer::apiserver
