// apiserver/faults/testing/scripted_stream.h
//
// ScriptedStream: a response whose pieces and states a test writes down, for tests of faults that
// wrap a response.

#ifndef KINFORMER_APISERVER_FAULTS_TESTING_SCRIPTED_STREAM_H_
#define KINFORMER_APISERVER_FAULTS_TESTING_SCRIPTED_STREAM_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

namespace kinformer::apiserver::testing {

class ScriptedStream final : public ResponseStream {
 public:
  // The outcome of one Read.
  struct Step {
    std::vector<std::string> pieces{};
    State state = State::kMore;
  };

  explicit ScriptedStream(std::vector<Step> script, HttpHeaders with = {})
      : steps(std::move(script)), headers_(std::move(with)) {}

  [[nodiscard]] bool ready() const override { return begun; }
  [[nodiscard]] int status() const override { return 207; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  void SetWake(std::function<void()> set) override { wake = std::move(set); }
  // Waits after the last step.
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    asked.push_back(max_bytes);
    if (wakes_in_read) wake();
    if (asked.size() > steps.size()) return State::kWait;
    const Step& step = steps[asked.size() - 1];
    for (const std::string& piece : step.pieces) out.push_back(BodyChunk::Of(piece));
    return step.state;
  }

  std::vector<Step> steps;
  std::vector<std::size_t> asked{};  // max_bytes of each Read
  std::function<void()> wake{};
  bool begun = true;
  bool wakes_in_read = false;

 private:
  HttpHeaders headers_;
};

// Reads once. Returns the bytes, and the state as one character: + more, . wait, $ end, ! abort.
inline std::string ReadOnce(ResponseStream& stream, std::size_t max_bytes = 1000) {
  std::vector<BodyChunk> out;
  const auto state = stream.Read(max_bytes, out);
  std::string text;
  for (const BodyChunk& chunk : out) text += chunk.bytes;
  switch (state) {
    case ResponseStream::State::kMore:
      return text + '+';
    case ResponseStream::State::kWait:
      return text + '.';
    case ResponseStream::State::kEnd:
      return text + '$';
    case ResponseStream::State::kAbort:
      break;
  }
  return text + '!';
}

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_FAULTS_TESTING_SCRIPTED_STREAM_H_
