// Requests about running pods that the embedded server refuses itself, in the words of a real one.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/fake_kubelet.h"
#include "kinformer/base/simulation.h"
#include "kinformer/json/json.h"

namespace kinformer {
namespace {

constexpr const char* kPods = R"(
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: default}
spec: {nodeName: node, containers: [{name: app, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: two, namespace: default}
spec:
  nodeName: node
  initContainers: [{name: i, image: i}]
  containers: [{name: a, image: i}, {name: b, image: i}]
---
apiVersion: v1
kind: Pod
metadata: {name: waiting, namespace: default}
spec: {containers: [{name: app, image: i}]}
)";

HttpHeaders WebSocketHeaders(std::string_view channels) {
  HttpHeaders headers;
  headers.Add("Connection", "Upgrade");
  headers.Add("Upgrade", "websocket");
  headers.Add("Sec-WebSocket-Version", "13");
  headers.Add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
  headers.Add("Sec-WebSocket-Protocol", channels);
  return headers;
}

// Runs only pods with a node.
class StrictKubelet final : public apiserver::FakeKubelet {
 public:
  using FakeKubelet::FakeKubelet;
  [[nodiscard]] bool RunsUnscheduledPods() const override { return false; }
};

class KubeletRequestsTest : public ::testing::Test {
 protected:
  void Serve(std::shared_ptr<apiserver::Kubelet> kubelet) {
    server_ = std::make_unique<apiserver::ApiServer>(
        sim_.env(), apiserver::ApiServerOptions{.kubelet = std::move(kubelet)});
    server_->Load(kPods).OrExit();
  }
  // Returns "code message", or "code" and the body if that is no Status.
  std::string Ask(const std::string& target, HttpHeaders headers = {}) {
    HttpRequest request{.target = "/api/v1/namespaces/default/pods/" + target,
                        .headers = std::move(headers)};
    const std::unique_ptr<ResponseStream> answer = server_->Handle(std::move(request));
    answer->SetWake([] {});
    if (!sim_.RunUntil([&] { return answer->ready(); }, std::chrono::minutes(1))) return "silence";
    const std::string code = std::to_string(answer->status()) + " ";
    std::string body;
    std::vector<BodyChunk> chunks;
    while (answer->status() != 101 && answer->Read(4096, chunks) == ResponseStream::State::kMore) {
    }
    for (const BodyChunk& chunk : chunks) body += chunk.bytes;
    const Result<json::Value> status = json::Parse(body);
    return code + (status ? (*status)["message"].StringOrEmpty() : body);
  }
  std::string AskSocket(const std::string& target, std::string_view channels) {
    return Ask(target, WebSocketHeaders(channels));
  }

  Simulation sim_{{.seed = 3}};
  std::unique_ptr<apiserver::ApiServer> server_;
};

TEST_F(KubeletRequestsTest, AServerWithoutAKubeletSaysThatItReachesNone) {
  Serve(nullptr);
  const std::string none = "no kubelet runs behind this API server (ApiServerOptions::kubelet)";
  EXPECT_EQ(Ask("one/log"), "500 error dialing the kubelet: " + none);
  for (const char* target :
       {"one/exec?command=c&stdout=1", "one/attach?stdout=1", "one/portforward?ports=80"}) {
    EXPECT_EQ(AskSocket(target, "v4.channel.k8s.io"), "500 error dialing backend: " + none)
        << target;
  }
}

TEST_F(KubeletRequestsTest, APodWithoutANodeHasAnEmptyLogAndTakesNoCommands) {
  Serve(std::make_shared<StrictKubelet>(sim_.env()));
  EXPECT_EQ(Ask("waiting/log"), "204 ");
  EXPECT_EQ(AskSocket("waiting/exec?command=c&stdout=1", "v5.channel.k8s.io"),
            "400 pod waiting does not have a host assigned");
  EXPECT_EQ(AskSocket("waiting/portforward?ports=80", "v4.channel.k8s.io"),
            "400 pod waiting does not have a host assigned");
  EXPECT_EQ(AskSocket("one/exec?command=c&stdout=1", "v5.channel.k8s.io"), "101 ");
}

TEST_F(KubeletRequestsTest, ThePodAndItsContainerMustExist) {
  Serve(std::make_shared<apiserver::FakeKubelet>(sim_.env()));
  EXPECT_EQ(Ask("none/log"), "404 pods \"none\" not found");
  const std::string choose =
      "400 a container name must be specified for pod two, choose one of: [a b] or one of the init "
      "containers: [i]";
  EXPECT_EQ(Ask("two/log"), choose);
  EXPECT_EQ(Ask("two/exec?command=c"), choose);
  EXPECT_EQ(Ask("two/attach?stdin=1"), choose);
  EXPECT_EQ(Ask("two/log?container=c"), "400 container c is not valid for pod two");
  EXPECT_EQ(Ask("two/log?container=i"), "200 ");
  EXPECT_EQ(Ask("one/log"), "200 ");
}

TEST_F(KubeletRequestsTest, OptionsOfLogsAreChecked) {
  Serve(std::make_shared<apiserver::FakeKubelet>(sim_.env()));
  const std::string invalid = "422 PodLogOptions \"one\" is invalid: ";
  struct Row {
    const char* query;
    std::string answer;
  };
  const std::vector<Row> rows = {
      {"sinceSeconds=0", invalid + "sinceSeconds: Invalid value: 0: must be greater than 0"},
      {"limitBytes=0", invalid + "limitBytes: Invalid value: 0: must be greater than 0"},
      {"tailLines=-1",
       invalid + "tailLines: Invalid value: -1: must be greater than or equal to 0"},
      {"tailLines=0", "200 "},
      {"sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z",
       invalid + ": Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"},
      {"tailLines=1&stream=Stdout",
       invalid + ": Forbidden: `tailLines` and specific `stream` are mutually exclusive for now"},
      {"sinceTime=x", "400 sinceTime \"x\" is no RFC 3339 time such as \"2026-03-01T10:00:00Z\""},
      {"previous=true", "400 previous terminated container \"app\" in pod \"one\" not found"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Ask("one/log?" + std::string(row.query)), row.answer) << row.query;
  }
  EXPECT_EQ(Ask("one/log?sinceSeconds=x").substr(0, 4), "400 ");
}

TEST_F(KubeletRequestsTest, StreamsNeedAWebSocketWithKnownChannels) {
  Serve(std::make_shared<apiserver::FakeKubelet>(sim_.env()));
  EXPECT_EQ(Ask("one/exec?command=c&stdout=1"), "400 Upgrade request required");
  HttpHeaders spdy;
  spdy.Add("Upgrade", "SPDY/3.1");
  EXPECT_EQ(Ask("one/exec?command=c&stdout=1", spdy),
            "400 unable to upgrade: this server speaks WebSocket (version 13), not \"spdy/3.1\"");
  EXPECT_EQ(AskSocket("one/exec?command=c&stdout=1", "x, y"),
            "403 requested protocol(s) are not supported: [x y]; supports [v5.channel.k8s.io "
            "v4.channel.k8s.io]");
  EXPECT_EQ(AskSocket("one/portforward?ports=80", "v5.channel.k8s.io"),
            "403 requested protocol(s) are not supported: [v5.channel.k8s.io]; supports "
            "[v4.channel.k8s.io]");
  EXPECT_EQ(AskSocket("one/exec?command=c", "v5.channel.k8s.io"),
            "400 you must specify at least 1 of stdin, stdout, stderr");
  EXPECT_EQ(AskSocket("one/portforward", "v4.channel.k8s.io"),
            "400 query parameter \"port\" is required");
  EXPECT_EQ(AskSocket("one/portforward?ports=70000", "v4.channel.k8s.io"),
            "400 unable to parse \"70000\" as a port");
  EXPECT_EQ(AskSocket("one/portforward?ports=80,81", "v4.channel.k8s.io"), "101 ");
}

}  // namespace
}  // namespace kinformer
