#include "testing/fake_answer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/errors/status.h"
#include "base/core/http_code.h"
#include "base/core/user_call.h"
#include "client/status.h"

namespace kinformer::internal::kit {
namespace {

bool IsOfClient(Reason reason) {
  return reason == Reason::kTransport || reason == Reason::kConnectionRefused ||
         reason == Reason::kUnexpectedEof || reason == Reason::kDeadlineExceeded;
}

WholeAnswer JsonAnswer(int status, std::string body) {
  WholeAnswer answer{.status = status, .body = std::move(body)};
  answer.headers.Add("Content-Type", "application/json");
  answer.headers.Add("Content-Length", std::to_string(answer.body.size()));
  return answer;
}

// Calls the receiver three times, each in a turn of the loop of its own.
class AnsweredCall final : public HttpCall {
 public:
  AnsweredCall(Env& env, WholeAnswer answer, ResponseReceiver& receiver)
      : env_(env), answer_(std::move(answer)), receiver_(receiver) {
    Next(answer_.broken.ok() ? Step::kHeaders : Step::kDone);
  }

 private:
  enum class Step : std::uint8_t { kHeaders, kData, kDone };
  void Next(Step step) {
    turn_ = env_.loop().RunAt(env_.Now(), [this, step] { Do(step); });
  }
  void Do(Step step) {
    switch (step) {
      case Step::kHeaders:
        receiver_.OnHeaders(answer_.status, answer_.headers);
        return Next(answer_.body.empty() ? Step::kDone : Step::kData);
      case Step::kData:
        receiver_.OnData(answer_.body);
        return Next(Step::kDone);
      case Step::kDone:
        // May destroy this.
        receiver_.OnDone(std::exchange(answer_.broken, Result<void>()));
    }
  }

  Env& env_;
  WholeAnswer answer_;
  ResponseReceiver& receiver_;
  Timer turn_;
};

class ChangedCall final : public HttpCall, public ResponseReceiver {
 public:
  ChangedCall(Env& env, testing::AnswerFunc change, ResponseReceiver& receiver)
      : env_(env), change_(std::move(change)), receiver_(receiver) {}
  void Begin(Transport& server, HttpRequest request) {
    method_ = request.method;
    asked_ = server.Start(std::move(request), *this);
  }

  void OnHeaders(int status, const HttpHeaders& /*headers*/) override { status_ = status; }
  void OnData(std::string_view data) override { body_ += data; }
  void OnDone(Result<void> result) override {
    Result<json::Value> answer = Answer(std::move(result));
    asked_.reset();
    Result<json::Value> changed = base::CallUserForResult(
        env_, "Reaction::PassOn", [&] { return change_(std::move(answer)); },
        [] { return std::string(); });
    answered_ = NewAnsweredCall(
        env_, changed ? AnswerOf(*changed, status_ == 201) : AnswerOf(changed.error()), receiver_);
  }

 private:
  [[nodiscard]] Result<json::Value> Answer(Result<void> result) const {
    if (!result) return std::move(result).error();
    if (status_ < 400) return json::Parse(body_);
    return client::ErrorOfResponse(method_, status_, "application/json", body_, std::nullopt);
  }

  Env& env_;
  const testing::AnswerFunc change_;
  ResponseReceiver& receiver_;
  std::string method_;
  int status_ = 200;
  std::string body_;
  std::unique_ptr<HttpCall> asked_;
  std::unique_ptr<HttpCall> answered_;
};

}  // namespace

WholeAnswer AnswerOf(const json::Value& object, bool created) {
  if (!object.is_null()) return JsonAnswer(created ? 201 : 200, object.Dump());
  return JsonAnswer(
      200, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":200})");
}

WholeAnswer AnswerOf(const Error& error) {
  if (IsOfClient(error.reason())) return {.broken = error};
  WholeAnswer answer = JsonAnswer(base::HttpCode(error), apiserver::StatusJson(error));
  if (const auto delay = error.retry_after()) {
    answer.headers.Add("Retry-After", std::to_string(delay->count()));
  }
  return answer;
}

std::unique_ptr<HttpCall> NewAnsweredCall(Env& env, WholeAnswer answer,
                                          ResponseReceiver& receiver) {
  return std::make_unique<AnsweredCall>(env, std::move(answer), receiver);
}

std::unique_ptr<HttpCall> NewChangedCall(Env& env, Transport& server, HttpRequest request,
                                         testing::AnswerFunc change, ResponseReceiver& receiver) {
  auto call = std::make_unique<ChangedCall>(env, std::move(change), receiver);
  call->Begin(server, std::move(request));
  return call;
}

}  // namespace kinformer::internal::kit
