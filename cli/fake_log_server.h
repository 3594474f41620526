// cli/fake_log_server.h
//
// FakeLogServer: a Handler with the logs of containers, for tests.

#ifndef KINFORMER_CLI_FAKE_LOG_SERVER_H_
#define KINFORMER_CLI_FAKE_LOG_SERVER_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

namespace kinformer::cli {

// Serves lines as a kubelet does: from the second that sinceTime names, or the last tailLines, and
// as long as the container runs if they are followed. Loop-confined; tests may use it while the
// simulation is stopped.
class FakeLogServer final : public Handler {
 public:
  struct Log {
    std::vector<std::string> lines{};  // with their time in front
    bool running = true;
  };
  std::map<std::string, Log> logs{};      // by "web-0/app"
  std::map<std::string, Log> previous{};  // of the instances before
  std::vector<std::string> requests{};    // targets
  int open_streams = 0;
  // Answers other requests, such as one for a pod; null: the answer is an error.
  Handler* other = nullptr;

  void Write(const std::string& name, const std::string& line) {
    logs[name].lines.push_back(line);
    Wake();
  }
  // Ends a container; `restarts`: another instance follows.
  void Exit(const std::string& name, bool restarts = false) {
    logs[name].running = false;
    if (restarts) {
      previous[name] = std::exchange(logs[name], {});
      for (Stream* stream : streams_) {
        if (stream->log == &logs[name]) stream->log = &previous[name];
      }
    }
    Wake();
  }
  // Breaks all connections; `partly`: after half of a line that comes whole later.
  void Cut(const std::string& partly = {}) {
    for (Stream* stream : streams_) {
      stream->tail = partly;
      stream->cut = true;
    }
    Wake();
  }
  // Ends all connections as a server does that shuts down.
  void Close() {
    for (Stream* stream : streams_) stream->closed = true;
    Wake();
  }

  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    const std::string& target = request.target;
    const std::size_t end = target.find("/log?");
    if (end == std::string::npos) return other == nullptr ? nullptr : other->Handle(request);
    requests.push_back(target);
    const std::size_t begin = target.rfind('/', end - 1) + 1;
    const std::string name =
        target.substr(begin, end - begin) + "/" + Parameter(target, "container");
    auto& all = Parameter(target, "previous").empty() ? logs : previous;
    const auto found = all.find(name);
    if (found == all.end()) return std::make_unique<Stream>(*this, nullptr, 404);
    auto stream = std::make_unique<Stream>(*this, &found->second, 200);
    stream->follow = !Parameter(target, "follow").empty();
    const std::string since = Parameter(target, "sinceTime");
    while (stream->at < stream->log->lines.size() &&
           stream->log->lines[stream->at].substr(0, since.empty() ? 0 : 19) < since.substr(0, 19)) {
      ++stream->at;
    }
    const std::string tail = Parameter(target, "tailLines");
    if (!tail.empty()) {
      const std::size_t lines = std::stoul(tail);
      if (stream->log->lines.size() > lines) stream->at = stream->log->lines.size() - lines;
    }
    return stream;
  }

 private:
  struct Stream final : ResponseStream {
    Stream(FakeLogServer& s, Log* l, int code) : server(s), log(l), status_(code) {
      headers_.Add("Content-Type", "text/plain");
      ++server.open_streams;
      server.streams_.push_back(this);
    }
    ~Stream() override {
      --server.open_streams;
      std::erase(server.streams_, this);
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    [[nodiscard]] int status() const override { return status_; }
    [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
    State Read(std::size_t /*max_bytes*/, std::vector<BodyChunk>& out) override {
      if (log == nullptr) return State::kEnd;
      if (at < log->lines.size()) {
        out.push_back(BodyChunk::Of(log->lines[at++] + "\n"));
        return State::kMore;
      }
      if (cut) {
        if (!tail.empty()) out.push_back(BodyChunk::Of(std::exchange(tail, {})));
        return State::kAbort;
      }
      return closed || !follow || !log->running ? State::kEnd : State::kWait;
    }
    void SetWake(std::function<void()> w) override { wake = std::move(w); }

    FakeLogServer& server;
    Log* log;
    std::size_t at = 0;
    bool follow = false;
    bool cut = false;
    bool closed = false;
    std::string tail{};
    std::function<void()> wake{};

   private:
    const int status_;
    HttpHeaders headers_{};
  };

  // Returns a parameter of the query; empty without it.
  static std::string Parameter(const std::string& target, const std::string& name) {
    const std::size_t at = target.find(name + "=");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size() + 1;
    std::string value = target.substr(begin, target.find('&', begin) - begin);
    for (std::size_t i = value.find("%3A"); i != std::string::npos; i = value.find("%3A")) {
      value.replace(i, 3, ":");
    }
    return value;
  }
  void Wake() {
    for (Stream* stream : std::vector<Stream*>(streams_)) {
      if (stream->wake) stream->wake();
    }
  }

  std::vector<Stream*> streams_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_FAKE_LOG_SERVER_H_
