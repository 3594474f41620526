// test/network/timed_handler.h
//
// TimedHandler: answers at the time given in the request.

#ifndef KINFORMER_TEST_NETWORK_TIMED_HANDLER_H_
#define KINFORMER_TEST_NETWORK_TIMED_HANDLER_H_

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

#include "transport/responses.h"

namespace kinformer::testing {

// "/watch": one line at once, then nothing. "/ticks": one line at once and one each second.
// "/slow/7": an answer after 7 seconds. "/broken": breaks off before it begins. Everything else: an
// answer at once.
class TimedHandler final : public Handler {
 public:
  explicit TimedHandler(Env& env) : env_(env) {}

  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    constexpr std::string_view kSlow = "/slow/";
    if (request.target == "/watch") return std::make_unique<Lines>(env_, Duration::zero());
    if (request.target == "/ticks") return std::make_unique<Lines>(env_, std::chrono::seconds(1));
    if (request.target.starts_with(kSlow)) {
      const int seconds = std::atoi(request.target.c_str() + kSlow.size());
      return std::make_unique<Late>(env_, std::chrono::seconds(seconds));
    }
    if (request.target == "/broken") return std::make_unique<Broken>();
    if (request.target == "/livez") ++probes;
    return Answer();
  }

  int probes = 0;

 private:
  static std::unique_ptr<ResponseStream> Answer() {
    return std::make_unique<internal::transport::WholeBody>(200, HttpHeaders(), "ok");
  }

  class Late final : public internal::transport::Deferred {
   public:
    Late(Env& env, Duration after)
        : timer_(env.loop().RunAt(env.Now() + after, [this] { Begin(Answer()); })) {}

   private:
    Timer timer_;
  };

  class Broken final : public ResponseStream {
   public:
    int status() const override { return 200; }
    const HttpHeaders& headers() const override { return headers_; }
    State Read(std::size_t, std::vector<BodyChunk>&) override { return State::kAbort; }
    void SetWake(std::function<void()>) override {}

   private:
    HttpHeaders headers_;
  };

  class Lines final : public ResponseStream {
   public:
    Lines(Env& env, Duration every) : env_(env), every_(every) { Tick(); }
    int status() const override { return 200; }
    const HttpHeaders& headers() const override { return headers_; }
    State Read(std::size_t, std::vector<BodyChunk>& out) override {
      while (lines_ > 0) {
        out.push_back(BodyChunk::Of("line\n"));
        --lines_;
      }
      return State::kWait;
    }
    void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }

   private:
    void Tick() {
      ++lines_;
      if (wake_) wake_();
      if (every_ == Duration::zero()) return;
      timer_ = env_.loop().RunAt(env_.Now() + every_, [this] { Tick(); });
    }
    Env& env_;
    const Duration every_;
    HttpHeaders headers_;
    int lines_ = 0;
    std::function<void()> wake_;
    Timer timer_;
  };

  Env& env_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_TIMED_HANDLER_H_
