// apiserver/testing.h
//
// For the tests of this folder: a server in simulated time, requests without a transport, and
// watches that are read by hand.

#ifndef KINFORMER_APISERVER_TESTING_H_
#define KINFORMER_APISERVER_TESTING_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/json.h"
#include "kinformer/simulation.h"
#include "kinformer/transport.h"

namespace kinformer::apiserver::testing {

struct Reply {
  int status = 0;
  HttpHeaders headers{};
  std::string body{};
  bool complete = false;  // the body has ended
  bool aborted = false;   // ... by a broken connection
  // The body as JSON; null where it is none.
  [[nodiscard]] json::Value Json() const;
};

inline json::Value Json(std::string_view text) { return json::Parse(text).OrExit(); }

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// A response that is read as it comes. The wake is counted, not acted upon: Pull reads.
class OpenReply {
 public:
  OpenReply(Simulation& sim, std::unique_ptr<ResponseStream> stream);
  // Reads what is there now.
  void Pull(std::size_t max_bytes = 65536);
  // The watch events that have arrived since the last call, as "ADDED default/a 7".
  std::vector<std::string> Events();
  // The frames themselves.
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

  // A whole exchange; waits (in simulated time, up to a minute) for an answer that comes later.
  Reply Do(std::string_view method, std::string_view target, std::string_view body = {},
           const HeaderList& headers = {});
  Reply Get(std::string_view target, const HeaderList& headers = {}) {
    return Do("GET", target, {}, headers);
  }
  std::unique_ptr<OpenReply> Open(std::string_view target, const HeaderList& headers = {});

  // Makes a ConfigMap; gives its resourceVersion.
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
