// client/testing/scripted_server.h
//
// ScriptedServer: a Handler with scripted responses that records the requests.

#ifndef KINFORMER_CLIENT_TESTING_SCRIPTED_SERVER_H_
#define KINFORMER_CLIENT_TESTING_SCRIPTED_SERVER_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

namespace kinformer::testing {

struct ScriptedResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers{{"Content-Type", "application/json"}};
  std::string body{};
  bool cut = false;                // the connection breaks after the body
  bool cut_before_answer = false;  // not even the headers arrive
  bool hang = false;               // nothing follows the body, and the stream stays open
};

inline ScriptedResponse Json(std::string body, int status = 200) {
  return {.status = status, .body = std::move(body)};
}

inline ScriptedResponse Protobuf(std::string body, const std::string& parameters = "") {
  return {.headers = {{"Content-Type", "application/vnd.kubernetes.protobuf" + parameters}},
          .body = std::move(body)};
}

inline ScriptedResponse StatusFailure(int code, const std::string& reason,
                                      const std::string& message) {
  return Json(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" +
                  message + R"(","reason":")" + reason + R"(","code":)" + std::to_string(code) +
                  "}",
              code);
}

// A refusal after which the client may ask again.
inline ScriptedResponse Busy(int status, const std::string& retry_after,
                             const std::string& message = "busy") {
  ScriptedResponse response = StatusFailure(status, "", message);
  response.headers.emplace_back("Retry-After", retry_after);
  return response;
}

// Loop-confined, as all Handlers. Tests may read `requests` while the simulation is stopped.
class ScriptedServer final : public Handler {
 public:
  // Responses, used in order; after the last one, `fallback` makes them.
  std::deque<ScriptedResponse> script{};
  std::function<ScriptedResponse(const HttpRequest&)> fallback{};
  std::vector<HttpRequest> requests{};
  int open_streams = 0;  // responses that have neither ended nor been cancelled

  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    requests.push_back(request);
    ScriptedResponse response;
    if (!script.empty()) {
      response = std::move(script.front());
      script.pop_front();
    } else if (fallback) {
      response = fallback(request);
    } else {
      response = StatusFailure(404, "NotFound", "the script has ended");
    }
    if (response.cut_before_answer) return nullptr;
    return std::make_unique<Stream>(std::move(response), open_streams);
  }

 private:
  class Stream final : public ResponseStream {
   public:
    Stream(ScriptedResponse response, int& open_streams)
        : response_(std::move(response)), open_streams_(open_streams) {
      ++open_streams_;
      for (const auto& [name, value] : response_.headers) headers_.Add(name, value);
    }
    ~Stream() override { --open_streams_; }
    int status() const override { return response_.status; }
    const HttpHeaders& headers() const override { return headers_; }
    State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
      if (at_ < response_.body.size()) {
        out.push_back(BodyChunk::Of(response_.body.substr(at_, max_bytes)));
        at_ += out.back().bytes.size();
        if (at_ < response_.body.size()) return State::kMore;
      }
      if (response_.cut) return State::kAbort;
      return response_.hang ? State::kWait : State::kEnd;
    }
    void SetWake(std::function<void()>) override {}

   private:
    ScriptedResponse response_;
    int& open_streams_;
    HttpHeaders headers_;
    std::size_t at_ = 0;
  };
};

}  // namespace kinformer::testing

#endif  // KINFORMER_CLIENT_TESTING_SCRIPTED_SERVER_H_
