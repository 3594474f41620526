// test/network/paced_handler.h
//
// PacedHandler: a TimedHandler whose answers may also pause, and may limit the streams of a
// connection.

#ifndef KINFORMER_TEST_NETWORK_PACED_HANDLER_H_
#define KINFORMER_TEST_NETWORK_PACED_HANDLER_H_

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

#include "network/timed_handler.h"

namespace kinformer::testing {

// "/lines/0/13": status 200, a line after 0 and after 13 seconds, no end. "/refused/0": the same
// with status 500. "/streams/3": an answer at once, after which the connection takes 3 streams.
// Everything else: like TimedHandler. Counts the requests of each target.
class PacedHandler final : public Handler {
 public:
  explicit PacedHandler(Env& env) : env_(env), timed_(env) {}

  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    ++seen_[request.target];
    std::string_view rest = request.target;
    if (Skip(rest, "/lines")) return std::make_unique<Paced>(env_, 200, rest);
    if (Skip(rest, "/refused")) return std::make_unique<Paced>(env_, 500, rest);
    if (Skip(rest, "/streams")) return std::make_unique<Limits>(Numbers(rest).front());
    return timed_.Handle(std::move(request));
  }
  [[nodiscard]] int Seen(const std::string& target) const {
    const auto found = seen_.find(target);
    return found == seen_.end() ? 0 : found->second;
  }
  [[nodiscard]] int probes() const { return Seen("/livez"); }

 private:
  static bool Skip(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  }
  // Reads "/1/20" as 1 and 20.
  static std::deque<int> Numbers(std::string_view text) {
    std::deque<int> numbers;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '/') numbers.push_back(std::atoi(std::string(text.substr(i + 1)).c_str()));
    }
    return numbers;
  }

  class Paced final : public ResponseStream {
   public:
    Paced(Env& env, int status, std::string_view seconds) : status_(status) {
      for (const int at : Numbers(seconds)) {
        timers_.push_back(env.loop().RunAt(env.Now() + std::chrono::seconds(at), [this] {
          ++lines_;
          if (wake_) wake_();
        }));
      }
    }
    int status() const override { return status_; }
    const HttpHeaders& headers() const override { return headers_; }
    State Read(std::size_t, std::vector<BodyChunk>& out) override {
      for (; lines_ > 0; --lines_) out.push_back(BodyChunk::Of("line\n"));
      return State::kWait;
    }
    void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }

   private:
    const int status_;
    HttpHeaders headers_;
    int lines_ = 0;
    std::function<void()> wake_;
    std::vector<Timer> timers_;
  };

  class Limits final : public internal::transport::Deferred {
   public:
    explicit Limits(int streams) : streams_(streams) {
      Begin(std::make_unique<internal::transport::WholeBody>(200, HttpHeaders(), "ok"));
    }
    ConnectionEffect effect() const override {
      ConnectionEffect effect;
      effect.max_streams = static_cast<std::uint32_t>(streams_);
      return effect;
    }

   private:
    const int streams_;
  };

  Env& env_;
  TimedHandler timed_;
  std::map<std::string, int> seen_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_PACED_HANDLER_H_
