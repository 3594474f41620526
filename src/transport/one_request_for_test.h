// transport/one_request_for_test.h
//
// For tests: one request over a connection of its own.

#ifndef KINFORMER_TRANSPORT_ONE_REQUEST_FOR_TEST_H_
#define KINFORMER_TRANSPORT_ONE_REQUEST_FOR_TEST_H_

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/client/http_transport.h"

namespace kinformer::testing {

// Waits for the answer; not on the loop. Returns its status and body ("200 ok"), or the error.
inline std::string OneRequest(Env& env, const HttpTransportOptions& options, HttpRequest request) {
  class Answer final : public ResponseReceiver {
   public:
    void OnHeaders(int status, const HttpHeaders& /*headers*/) override { status_ = status; }
    void OnData(std::string_view data) override { body_ += data; }
    void OnDone(Result<void> result) override {
      done_.set_value(result ? std::to_string(status_) + " " + body_ : result.error().ToString());
    }
    [[nodiscard]] std::string Wait() { return done_.get_future().get(); }

   private:
    int status_ = 0;
    std::string body_{};
    std::promise<std::string> done_{};
  };
  const auto on_loop = [&](const std::function<void()>& work) {
    std::promise<void> done;
    env.loop().Post([&] {
      work();
      done.set_value();
    });
    done.get_future().get();
  };
  const auto transport = NewHttpTransport(env, options).OrExit();
  Answer answer;
  std::unique_ptr<HttpCall> call;
  on_loop([&] { call = transport->Start(std::move(request), answer); });
  std::string text = answer.Wait();
  on_loop([&] { call.reset(); });
  return text;
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TRANSPORT_ONE_REQUEST_FOR_TEST_H_
