// apiserver/testing.h
//
// Helpers for this folder's tests: a server in simulated time, requests without transport, and
// watches that the test reads step by step.

#ifndef KINFORMER_APISERVER_TESTING_H_
#define KINFORMER_APISERVER_TESTING_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/transport.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver::testing {

struct Reply {
  int status = 0;
  HttpHeaders headers{};
  std::string body{};
  bool complete = false;  // the body has ended
  bool aborted = false;   // ... by a broken connection
  // Returns the body as JSON; null if it is none.
  [[nodiscard]] json::Value Json() const;
};

inline json::Value Json(std::string_view text) { return json::Parse(text).OrExit(); }

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// A response that is read in steps. Wake calls have no effect: only Pull reads.
class OpenReply {
 public:
  OpenReply(Simulation& sim, std::unique_ptr<ResponseStream> stream);
  // Reads all that is available.
  void Pull(std::size_t max_bytes = 65536);
  // Returns the watch events since the last call, as "ADDED default/a 7".
  std::vector<std::string> Events();
  // Returns the frames instead.
  std::vector<json::Value> Frames();
  [[nodiscard]] const Reply& reply() const { return reply_; }
  [[nodiscard]] bool ended() const { return reply_.complete; }
  [[nodiscard]] int wakes() const { return *wakes_; }

 private:
  Simulation& sim_;
  std::shared_ptr<int> wakes_;
  std::unique_ptr<ResponseStream> stream_;
  Reply reply_;
  std::size_t parsed_ = 0;
};

class TestServer {
 public:
  explicit TestServer(ApiServerOptions options = {}, std::uint64_t seed = 1);

  // Runs a whole exchange; waits, up to a minute of simulated time, for a delayed response.
  Reply Do(std::string_view method, std::string_view target, std::string_view body = {},
           const HeaderList& headers = {});
  Reply Get(std::string_view target, const HeaderList& headers = {}) {
    return Do("GET", target, {}, headers);
  }
  std::unique_ptr<OpenReply> Open(std::string_view target, const HeaderList& headers = {});

  // Makes a ConfigMap; returns its resourceVersion.
  std::string MakeConfigMap(std::string_view namespace_, std::string_view name,
                            std::string_view labels_json = "{}");

  Simulation& sim() { return sim_; }
  ApiServer& server() { return server_; }

 private:
  Simulation sim_;
  ApiServer server_;
};

inline const GroupVersionResource kConfigMaps{
    .group = "", .version = "v1", .resource = "configmaps"};
inline const GroupVersionResource kPods{.group = "", .version = "v1", .resource = "pods"};

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_TESTING_H_
