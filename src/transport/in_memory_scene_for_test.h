// transport/in_memory_scene_for_test.h
//
// InMemoryScene: answers of the in-memory transport, step by step, in simulated time.

#ifndef KINFORMER_TRANSPORT_IN_MEMORY_SCENE_FOR_TEST_H_
#define KINFORMER_TRANSPORT_IN_MEMORY_SCENE_FOR_TEST_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/transport.h"

namespace kinformer::internal::transport {

// Acts of a server, and records of its calls.
struct Script {
  struct Step {
    std::vector<std::string> parts{};
    ResponseStream::State state{ResponseStream::State::kWait};
    std::function<void()> inside{};  // called in the middle of Read
  };
  std::deque<Step> steps{};  // one for each Read; then kWait
  int status = 200;
  HttpHeaders headers{};
  std::function<void()> in_handle{};
  std::function<bool()> in_ready{};
  bool null = false;  // no stream

  std::function<void()> wake{};      // the transport's, even after the stream is gone
  std::vector<std::size_t> asked{};  // max_bytes of each Read
  std::vector<std::weak_ptr<const void>> chunks{};
  std::vector<const char*> places{};  // of the chunks' bytes
  int wakes_set = 0;
  bool gone = false;

  void Wake() const {
    if (wake) wake();
  }
};

class ScriptedServer final : public Handler {
 public:
  explicit ScriptedServer(Env& env) : env_(env) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    handled.push_back(env_.Now());
    targets.push_back(request.target);
    const std::shared_ptr<Script> used = script;
    if (used->in_handle) used->in_handle();
    if (used->null) return nullptr;
    return std::make_unique<Stream>(used);
  }

  std::shared_ptr<Script> script = std::make_shared<Script>();
  std::vector<SteadyTime> handled{};
  std::vector<std::string> targets{};

 private:
  class Stream final : public ResponseStream {
   public:
    explicit Stream(std::shared_ptr<Script> script) : script_(std::move(script)) {}
    ~Stream() override { script_->gone = true; }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    [[nodiscard]] bool ready() const override { return !script_->in_ready || script_->in_ready(); }
    [[nodiscard]] int status() const override { return script_->status; }
    [[nodiscard]] const HttpHeaders& headers() const override { return script_->headers; }
    State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
      const std::shared_ptr<Script> kept = script_;
      kept->asked.push_back(max_bytes);
      if (kept->steps.empty()) return State::kWait;
      const Script::Step step = std::move(kept->steps.front());
      kept->steps.pop_front();
      for (const std::string& part : step.parts) {
        out.push_back(BodyChunk::Of(part));
        kept->chunks.push_back(out.back().owner);
        kept->places.push_back(out.back().bytes.data());
      }
      if (step.inside) step.inside();
      return step.state;
    }
    void SetWake(std::function<void()> wake) override {
      script_->wake = std::move(wake);
      ++script_->wakes_set;
    }

   private:
    const std::shared_ptr<Script> script_;
  };

  Env& env_;
};

// Notes each call, and what the text of the last one is.
class TimedReceiver final : public ResponseReceiver {
 public:
  explicit TimedReceiver(Env& env) : env_(env) {}
  void OnHeaders(int status, const HttpHeaders& headers) override {
    Note("head " + std::to_string(status) + " " + std::to_string(headers.size()));
    if (on_headers) on_headers();
  }
  void OnData(std::string_view data) override {
    Note("data " + std::string(data));
    bytes += data.size();
    places.push_back(data.data());
    if (on_data) on_data();
  }
  void OnDone(Result<void> result) override {
    Note(result ? "done" : "failed: " + result.error().message());
    reason = result ? Reason::kUnknown : result.error().reason();
    done = true;
    if (on_done) on_done();
  }

  std::vector<std::string> calls{};
  std::vector<SteadyTime> times{};
  std::vector<const char*> places{};
  std::size_t bytes = 0;
  bool done = false;
  Reason reason = Reason::kUnknown;
  std::function<void()> on_headers{};
  std::function<void()> on_data{};
  std::function<void()> on_done{};
  std::unique_ptr<HttpCall> call{};

 private:
  void Note(std::string what) {
    calls.push_back(std::move(what));
    times.push_back(env_.Now());
  }
  Env& env_;
};

class InMemoryScene : public ::testing::Test {
 protected:
  // With a new script.
  void Make(InMemoryTransportOptions options = {}) {
    transport_ = NewInMemoryTransport(sim_.env(), server_, options);
    server_.script = std::make_shared<Script>();
  }
  void Start(TimedReceiver& receiver, HttpRequest request = {.target = "/x"}) {
    receiver.call = transport_->Start(std::move(request), receiver);
  }
  [[nodiscard]] Script& script() { return *server_.script; }
  [[nodiscard]] Duration Since(SteadyTime time) { return sim_.env().Now() - time; }

  Simulation sim_;
  ScriptedServer server_{sim_.env()};
  std::unique_ptr<InMemoryTransport> transport_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_IN_MEMORY_SCENE_FOR_TEST_H_
