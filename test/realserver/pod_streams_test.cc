// Logs, commands and ports of pods through the real kube-apiserver, whose kubelet is the embedded
// server with a FakeKubelet; kubectl does the same beside it. Label `realserver`.

#include <array>
#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/apiserver/fake_kubelet.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/client/client.h"
#include "kinformer/client/pod_logs.h"
#include "kinformer/client/port_forward.h"
#include "kinformer/client/remote_command.h"
#include "kinformer/testing/api_server.h"

#include "realserver/clients.h"
#include "realserver/real_server.h"

namespace kinformer::testing {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ObjectName kWeb{.namespace_ = "default", .name = "web-0"};

// Returns the request for a pod that asks the same as a request to a kubelet:
// "/api/v1/namespaces/default/pods/web-0/exec?stdin=1&container=app" for
// "/exec/default/web-0/app?input=1".
std::string PodTarget(const std::string& target) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kParts{
      {{"/containerLogs/", "log"},
       {"/exec/", "exec"},
       {"/attach/", "attach"},
       {"/portForward/", "portforward"}}};
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kParameters{
      {{"input=", "stdin="}, {"output=", "stdout="}, {"error=", "stderr="}, {"port=", "ports="}}};
  const std::size_t question = target.find('?');
  std::string_view path = std::string_view(target).substr(0, question);
  std::string query = question == std::string::npos ? "" : target.substr(question);
  for (const auto& [prefix, part] : kParts) {
    if (!path.starts_with(prefix)) continue;
    path.remove_prefix(prefix.size());
    std::array<std::string_view, 3> names{};
    for (std::string_view& name : names) {
      const std::size_t end = path.find('/');
      name = path.substr(0, end);
      path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    }
    for (const auto& [theirs, ours] : kParameters) {
      for (const char before : {'?', '&'}) {
        const std::size_t at = query.find(before + std::string(theirs));
        if (at != std::string::npos) query.replace(at + 1, theirs.size(), ours);
      }
    }
    if (!names[2].empty()) {
      query += query.empty() ? '?' : '&';
      query += "container=" + std::string(names[2]);
    }
    return "/api/v1/namespaces/" + std::string(names[0]) + "/pods/" + std::string(names[1]) + "/" +
           std::string(part) + query;
  }
  return target;
}

// The kubelet's port: hands on to the server that has the fake kubelet.
class KubeletPort final : public Handler {
 public:
  explicit KubeletPort(Handler& server) : server_(server) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    request.target = PodTarget(request.target);
    return server_.Handle(std::move(request));
  }

 private:
  Handler& server_;
};

class RealPodStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    kubelet_ = std::make_shared<apiserver::FakeKubelet>(runtime_.env());
    for (const char* line : {"listening", "ready"}) kubelet_->AddLogLine(kWeb, "app", line);
    server_.emplace(runtime_, apiserver::ApiServerOptions{.kubelet = kubelet_});
    server_->Load(kPod).OrExit();
    server_->With([&](apiserver::ApiServer& api) { port_.emplace(api); });
    http_ = apiserver::HttpServer::Listen(runtime_.env(), *port_, {.tls = true}).OrExit();

    real_.Start({"--", "--kubelet-preferred-address-types=InternalIP"});
    client_.emplace(NewClient(real_));
    MakeNode();
    corev1::Pod::Mutable pod;
    pod.metadata.name = kWeb.name;
    pod.spec.nodeName = "node-1";
    pod.spec.containers.push_back({.name = "app", .image = "i"});
    pods_.emplace(client_->For<corev1::Pod>("default"));
    const auto made = pods_->Create(pod);
    ASSERT_TRUE(made.ok()) << made.error();
  }

  // A node that says, as kubelets of 1.36 and newer do, that it speaks WebSocket itself.
  void MakeNode() {
    const std::string node =
        R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}, "status": {
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "declaredFeatures": ["ExtendWebSocketsToKubelet"],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": )" +
        std::to_string(http_->port()) + "}}}}";
    const auto made =
        client_->For<corev1::Node>().Create(FromJson<corev1::NodeMutable>(node).OrExit());
    ASSERT_TRUE(made.ok()) << made.error();
  }

  // Returns what a program says and its exit status, in the last line.
  static std::vector<std::string> Said(std::vector<std::string> command,
                                       const std::string& input = {}) {
    ChildProcess process(std::move(command), {}, true);
    if (!input.empty()) process.WriteLine(input);
    process.CloseInput();
    std::vector<std::string> lines;
    while (const auto line = process.ReadLine(seconds(30))) lines.push_back(*line);
    lines.push_back("exit " + std::to_string(process.Wait(seconds(30))));
    return lines;
  }
  // The same command of kinformer, and of kubectl where that is installed.
  std::vector<std::vector<std::string>> Programs(const std::vector<std::string>& arguments) const {
    std::vector<std::vector<std::string>> out;
    for (const std::string& program : {EnvironmentOr("KINFORMER_CLI", "kinformer"),
                                       EnvironmentOr("KINFORMER_KUBECTL", "/usr/bin/kubectl")}) {
      if (!std::filesystem::exists(program)) continue;
      out.push_back({program, arguments[0], "--kubeconfig", real_.kubeconfig()});
      out.back().insert(out.back().end(), arguments.begin() + 1, arguments.end());
    }
    return out;
  }

  static constexpr const char* kPod =
      "{apiVersion: v1, kind: Pod, metadata: {name: web-0, namespace: default}, "
      "spec: {containers: [{name: app, image: i}]}}";
  Runtime runtime_{{.log = NewNullLog()}};
  std::shared_ptr<apiserver::FakeKubelet> kubelet_;
  std::optional<ApiServer> server_;
  std::optional<KubeletPort> port_;
  std::unique_ptr<apiserver::HttpServer> http_;
  RealServer real_;
  std::optional<Client> client_;
  std::optional<ResourceClient<corev1::Pod>> pods_;
};

TEST_F(RealPodStreams, LogsCommandsAndPortsPassThroughTheRealServer) {
  const auto log = GetLogs(*pods_, "web-0").Do();
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log->body, "listening\nready\n");

  corev1::PodLogOptions::Mutable follow;
  follow.follow = true;
  follow.tailLines = 1;
  std::vector<std::string> lines;
  const auto followed = StreamLogLines(*pods_, "web-0", {"app"}, follow, [&](const LogLine& line) {
    lines.emplace_back(line.text);
    if (lines.size() == 1) kubelet_->AddLogLine(kWeb, "app", "grown");
    return lines.size() < 2;
  });
  EXPECT_TRUE(followed.ok()) << followed.error();
  EXPECT_THAT(lines, ElementsAre("ready", "grown"));

  corev1::PodExecOptions::Mutable cat;
  cat.command = {"cat"};
  const std::string input(1'000'000, 'i');
  const auto echoed = Exec(*pods_, "web-0", cat, input);
  ASSERT_TRUE(echoed.ok()) << echoed.error();
  EXPECT_EQ(echoed->exit_code, 0);
  EXPECT_EQ(echoed->stdout_text.size(), input.size());
  corev1::PodExecOptions::Mutable exit;
  exit.command = {"exit", "7"};
  const auto failed = Exec(*pods_, "web-0", exit);
  ASSERT_TRUE(failed.ok()) << failed.error();
  EXPECT_EQ(failed->exit_code, 7);

  auto port = PodConnection::Dial(*pods_, "web-0", 80);
  ASSERT_TRUE(port.ok()) << port.error();
  ASSERT_TRUE(port->Write("PING\r\n").ok());
  std::string back;
  while (back.size() < 6) {
    const auto piece = port->Read({.timeout = seconds(30)});
    ASSERT_TRUE(piece.ok()) << piece.error();
    ASSERT_FALSE(piece->empty()) << back;
    back += *piece;
  }
  EXPECT_EQ(back, "PING\r\n");
}

TEST_F(RealPodStreams, TheCommandSaysWhatKubectlSays) {
  for (const std::vector<std::string>& program : Programs({"logs", "web-0"})) {
    EXPECT_THAT(Said(program), ElementsAre("listening", "ready", "exit 0")) << program[0];
  }
  for (const std::vector<std::string>& program : Programs({"logs", "web-0", "--tail=1"})) {
    EXPECT_THAT(Said(program), ElementsAre("ready", "exit 0")) << program[0];
  }
  for (const std::vector<std::string>& program : Programs({"exec", "web-0", "--", "echo", "a"})) {
    EXPECT_THAT(Said(program), ElementsAre("echo a", "exit 0")) << program[0];
  }
  for (const std::vector<std::string>& program : Programs({"exec", "-i", "web-0", "--", "cat"})) {
    EXPECT_THAT(Said(program, "typed"), ElementsAre("typed", "exit 0")) << program[0];
  }
  for (const std::vector<std::string>& program : Programs({"exec", "web-0", "--", "exit", "7"})) {
    EXPECT_THAT(Said(program), ElementsAre("command terminated with exit code 7", "exit 7"))
        << program[0];
  }
}

}  // namespace
}  // namespace kinformer::testing
