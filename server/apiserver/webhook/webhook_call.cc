#include "apiserver/webhook/webhook_call.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "apiserver/errors/status.h"
#include "base/core/user_call.h"

namespace kinformer::apiserver {
namespace {

// More than any object needs, and little enough to hold in memory.
constexpr std::size_t kMaxAnswerBytes = std::size_t{16} << 20;
// Realistic objects have fewer values in that many bytes; each value takes about 80 bytes.
constexpr std::size_t kMaxAnswerValues = std::size_t{1} << 20;

// Returns the error for a response with another status, in the words of a real server's client.
std::string WhyNot(int status, const std::string& body) {
  if (status == 404) return "the server could not find the requested resource";
  const std::string said = body.substr(0, 1024);
  if (status >= 500) {
    return "an error on the server (" + JsonString(said) +
           ") has prevented the request from succeeding";
  }
  return "the server answered with status " + std::to_string(status) +
         (said.empty() ? "" : ": " + said);
}

}  // namespace

WebhookCall::WebhookCall(ServerState& state, const WebhookPlace& place, std::string body, Done done)
    : state_(state), url_(place.Url()), done_(std::move(done)) {
  if (state.options.webhook_transport) {
    const Result<void> called = internal::base::CallUser(
        state.env, "ApiServerOptions::webhook_transport",
        [&] { transport_ = state.options.webhook_transport(place.address); });
    if (!called) {
      FailSoon(called.error().message());
      return;
    }
  }
  if (transport_ == nullptr) {
    FailSoon("no transport leads there: ApiServerOptions::webhook_transport gives none");
    return;
  }
  const SteadyTime now = state_.env.Now();
  deadline_ = state_.deadlines.Add(now + place.timeout, [this] {
    Fail(Reason::kDeadlineExceeded, "context deadline exceeded");
  });
  HttpRequest request{.method = "POST", .target = place.Target()};
  request.headers.Add("Content-Type", "application/json");
  request.headers.Add("Accept", "application/json");
  request.headers.Add("User-Agent", "kube-apiserver-admission");
  request.body = std::move(body);
  const Result<void> started =
      internal::base::CallUser(state.env, "Transport::Start of a webhook",
                               [&] { call_ = transport_->Start(std::move(request), *this); });
  if (started) return;
  state_.deadlines.Remove(deadline_);
  FailSoon(started.error().message());
}

// Fails later on the loop, since the constructor must return first.
void WebhookCall::FailSoon(std::string why) {
  deadline_ = state_.deadlines.Add(
      state_.env.Now(), [this, why = std::move(why)] { Fail(Reason::kConnectionRefused, why); });
}

WebhookCall::~WebhookCall() { state_.deadlines.Remove(deadline_); }

void WebhookCall::OnHeaders(int status, const HttpHeaders&) { status_ = status; }

void WebhookCall::OnData(std::string_view data) {
  // A truncated answer is useless: after the limit is exceeded, all further data is ignored.
  too_long_ = too_long_ || body_.size() + data.size() > kMaxAnswerBytes;
  if (too_long_ || values_.count() > kMaxAnswerValues) return;
  values_.Add(data);
  body_ += data;
}

void WebhookCall::OnDone(Result<void> result) {
  if (!result) return Fail(result.error().reason(), result.error().message());
  if (too_long_ && status_ == 200) {
    return Fail(Reason::kRequestEntityTooLarge,
                "the webhook's answer is longer than " + std::to_string(kMaxAnswerBytes) +
                    " bytes: a webhook answers with what it changes");
  }
  if (status_ == 200 && values_.count() > kMaxAnswerValues) {
    return Fail(Reason::kRequestEntityTooLarge,
                "the webhook's answer has more than " + std::to_string(kMaxAnswerValues) +
                    " values: a webhook answers with what it changes");
  }
  if (status_ != 200) return Finish(Error(Reason::kUnknown, WhyNot(status_, body_)));
  Finish(std::move(body_));
}

void WebhookCall::Fail(Reason reason, std::string_view why) {
  Finish(Error(reason, "Post " + JsonString(url_) + ": " + std::string(why)));
}

void WebhookCall::Finish(Result<std::string> body) {
  // `done` may keep this alive, so the webhook's connection is released here.
  call_.reset();
  state_.deadlines.Remove(deadline_);
  const Done done = std::move(done_);
  done(std::move(body));  // may destroy this
}

Called<Result<std::string>> CallWebhook(ServerState& state, const WebhookPlace& place,
                                        std::string body) {
  return Called<Result<std::string>>(
      [&state, place, body = std::move(body)](WebhookCall::Done done) mutable {
        return std::make_shared<WebhookCall>(state, place, std::move(body), std::move(done));
      });
}

}  // namespace kinformer::apiserver
