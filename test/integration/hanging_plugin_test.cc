// Clients whose credential plugin hangs: when its waiters end, the plugin is killed.

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/resource_client.h"

#include "integration/client_proofs.h"
#include "integration/embedded_server.h"
#include "transport/awaited_source.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using std::chrono::steady_clock;

// Never answers. Used on the loop; `asked` may be read on any thread.
class SilentSource final : public internal::transport::AwaitedSource {
 public:
  void Fetch(Env& /*env*/, std::function<void(Result<Credentials>)> /*done*/) override {}
  void FetchFor(const void* who, Env& /*env*/,
                std::function<void(Result<Credentials>)> /*done*/) override {
    asked = who;
  }
  void Forget(const void* who, Env& /*env*/) override {
    if (who == asked) forgotten = true;
  }
  void Rejected(const std::string& /*authorization*/) override {}
  [[nodiscard]] bool CanRefresh() const override { return true; }

  std::atomic<const void*> asked = nullptr;
  std::atomic<bool> forgotten = false;
};

// The plugin itself is killed later: see plugin_end_test.cc.
TEST(HangingPlugin, ACallThatIsCancelled_WaitsForItNoMore) {
  Runtime runtime;
  const auto source = std::make_shared<SilentSource>();
  HttpTransportOptions options{.base_url = "http://127.0.0.1:1", .credentials = source};
  const Client client = Client::ForTransport(
      runtime.env(), NewHttpTransport(runtime.env(), std::move(options)).OrExit());
  std::stop_source stop;
  auto read = std::async(std::launch::async, [&] {
    return client.For<ConfigMap>("default").Get("one", {}, {.stop = stop.get_token()});
  });
  EXPECT_TRUE(Eventually([&] { return source->asked != nullptr; }));
  EXPECT_FALSE(source->forgotten);
  stop.request_stop();
  const auto got = read.get();
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().reason(), Reason::kCanceled);
  EXPECT_TRUE(Eventually([&] { return source->forgotten.load(); }));
}

// Whether a process is running; a dead orphan that was not reaped yet is not.
bool Runs(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return (in >> number >> name >> state) && state != "Z";
}

// Parameter: whether the threads belong to the Client.
class ProgramThatEnds : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Threads, ProgramThatEnds, ::testing::Bool(), [](const auto& param) {
  return std::string(param.param ? "OfTheClient" : "OfARuntime");
});

// Like a program that gets SIGTERM before the plugin of its first informer has answered.
TEST_P(ProgramThatEnds, WhileAPluginHangs_KillsItsProcessGroupAndIsNotHeldUp) {
  const std::string pid_file = WriteProof("pid", "");
  Config config;
  config.host = "https://127.0.0.1:1";
  config.exec = PluginOf("hanging-plugin", "sleep 100 & echo $! > '" + pid_file + "'; wait");
  pid_t pid = 0;
  auto ends = steady_clock::time_point::max();
  {
    std::optional<Runtime> runtime;
    if (!GetParam()) runtime.emplace();
    const Client client =
        (runtime ? Client::NewForConfig(runtime->env(), config) : Client::NewForConfig(config))
            .OrExit();
    SharedInformerFactory factory(client);
    (void)factory.InformerFor<ConfigMap>();
    factory.Start();
    EXPECT_TRUE(Eventually([&] { return bool(std::ifstream(pid_file) >> pid); }));
    EXPECT_TRUE(Runs(pid));
    ends = steady_clock::now();
    factory.Shutdown();
  }
  // The plugin's own timeout is one minute.
  EXPECT_LT(steady_clock::now() - ends, 20s);
  EXPECT_TRUE(Eventually([&] { return !Runs(pid); }, 20s));
}

}  // namespace
}  // namespace kinformer::testing
