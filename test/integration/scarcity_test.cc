// Runs programs without enough of a resource: descriptors, disk, readers that read. Nothing may
// crash or hang, the log must have the reason, and everything must work again afterwards.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/recording.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/manager.h"
#include "kinformer/endpoints/endpoint_server.h"
#include "kinformer/endpoints/healthz.h"
#include "kinformer/endpoints/metrics_server.h"

#include "base/core/testing/fields_log.h"
#include "integration/embedded_server.h"
#include "integration/raw_http.h"

namespace kinformer::testing {
namespace {

using internal::base::FieldsLog;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::HasSubstr;

// Lowers a limit of this process during its lifetime.
class Limit {
 public:
  Limit(int resource, rlim_t most) : resource_(resource) {
    getrlimit(resource_, &before_);
    const rlimit now{.rlim_cur = std::min(most, before_.rlim_max), .rlim_max = before_.rlim_max};
    setrlimit(resource_, &now);
  }
  ~Limit() { setrlimit(resource_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  const int resource_;
  rlimit before_{};
};

std::size_t OpenDescriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count - 1;  // without the folder's own
}

std::size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class ScarcityTest : public ::testing::Test {
 protected:
  ScarcityTest() { server_.Put("a", "1"); }

  const std::shared_ptr<FieldsLog> server_log_ = std::make_shared<FieldsLog>(LogLevel::kWarning);
  const std::shared_ptr<FieldsLog> log_ = std::make_shared<FieldsLog>(LogLevel::kWarning);
  EmbeddedServer server_{{.tls = false, .log = server_log_}};
};

// Client and server share the limit, so connections fail on both sides.
TEST_F(ScarcityTest, Descriptors_ThirtyTwoAtMost_StopNobodyForGood) {
#ifdef KINFORMER_TEST_UNDEFINED_SANITIZED
  GTEST_SKIP()
      << "UndefinedBehaviorSanitizer opens a pipe before it believes a pointer to an object";
#endif
  Runtime runtime{{.log = log_}};
  const Client client = Client::NewForConfig(runtime.env(), server_.ClientConfig()).OrExit();
  std::vector<std::unique_ptr<SharedInformerFactory>> factories;
  std::vector<SharedInformer<corev1::ConfigMap>> informers;
  std::stop_source stop;
  std::unique_ptr<Manager> manager;
  std::thread running;
  {
    const Limit limit(RLIMIT_NOFILE, std::max<rlim_t>(32, OpenDescriptors() + 6));
    for (int i = 0; i < 12; ++i) {
      factories.push_back(std::make_unique<SharedInformerFactory>(client));
      informers.push_back(factories.back()->InformerFor<corev1::ConfigMap>());
      factories.back()->Start();
    }
    // The manager gets its two ports, or returns an error.
    Result<std::unique_ptr<Manager>> made =
        Manager::New(client, {.metrics_bind_address = "127.0.0.1:0",
                              .health_probe_bind_address = "127.0.0.1:0",
                              .serve_webhooks = false});
    if (made) {
      manager = *std::move(made);
      running = std::thread([&] {
        const Result<void> ran = manager->Start(stop.get_token());
        if (!ran) {
          EXPECT_THAT(ran.error().message(), HasSubstr("open files"));
        }
      });
    } else {
      EXPECT_THAT(made.error().message(), HasSubstr("open files"));
    }
    EXPECT_TRUE(Eventually(
        [&] {
          return log_->text().find("open files") != std::string::npos ||
                 server_log_->text().find("cannot accept connections") != std::string::npos;
        },
        seconds(20)))
        << log_->text() << server_log_->text();
    // Failed requests are not retried at once in a loop.
    const double before = CpuSeconds();
    std::this_thread::sleep_for(milliseconds(500));
    EXPECT_LT(CpuSeconds() - before, 0.4);
    const auto synced = [](const auto& informer) { return informer.HasSynced(); };
    EXPECT_FALSE(std::all_of(informers.begin(), informers.end(), synced));
    server_.Put("b", "2");
  }
  for (const auto& informer : informers) {
    EXPECT_TRUE(Eventually([&] { return informer.HasSynced(); })) << log_->text();
    EXPECT_TRUE(Eventually([&] { return informer.lister().Get("default", "b").ok(); }));
  }
  stop.request_stop();
  if (running.joinable()) running.join();
}

TEST_F(ScarcityTest, AFullDisk_UnderARecording_EndsTheRecordingAndNothingElse) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("kinformer-full-disk-test." + std::to_string(getpid())))
                               .string();
  const auto on_full = std::signal(SIGXFSZ, SIG_IGN);  // it would end the process otherwise
  {
    Runtime runtime{{.log = log_}};
    const Config config = server_.ClientConfig();
    std::shared_ptr<Transport> upstream =
        NewHttpTransport(runtime.env(), {.base_url = config.host}).OrExit();
    std::unique_ptr<apiserver::Recorder> recorder =
        apiserver::Recorder::Open(runtime.env(), upstream, path).OrExit();
    auto http = apiserver::HttpServer::Listen(runtime.env(), *recorder, {}).OrExit();
    const auto ask = [&] { return Exchange(http->port(), RequestText("GET", "/version")).status; };
    EXPECT_EQ(ask(), 200);
    EXPECT_THAT(log_->text(), ::testing::IsEmpty());
    {
      const Limit limit(RLIMIT_FSIZE, std::filesystem::file_size(path) + 100);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(), 200);
      EXPECT_THAT(log_->text(), HasSubstr("recording ends: the file cannot be written"));
      EXPECT_THAT(log_->text(), HasSubstr(path));
    }
    const std::size_t size = std::filesystem::file_size(path);
    EXPECT_EQ(ask(), 200);
    EXPECT_EQ(std::filesystem::file_size(path), size) << "with a hole it would tell lies";
    http.reset();
    std::promise<void> gone;
    runtime.env().loop().Post([&] {
      recorder.reset();
      gone.set_value();
    });
    gone.get_future().get();
  }
  std::signal(SIGXFSZ, on_full);
  std::filesystem::remove(path);
}

// Unknown tokens and long bodies, all at the same time.
TEST_F(ScarcityTest, AFloodAtTheMetrics_TakesLittle) {
  Runtime runtime{{.log = log_}};
  const Client client = Client::NewForConfig(runtime.env(), server_.ClientConfig()).OrExit();
  const auto endpoints =
      EndpointServer::Listen(runtime.env(), "127.0.0.1:0", {.tls = false}).OrExit();
  endpoints->Handle("/metrics",
                    WithAuthenticationAndAuthorization(
                        runtime.env(), client,
                        std::make_shared<healthz::Handler>(runtime.env(), healthz::Checks{})));
  const std::string body(std::size_t{1} << 20, 'x');
  const auto flood = [&](int round) {
    std::vector<std::unique_ptr<RawSocket>> all;
    for (int i = 0; i < 150; ++i) {
      all.push_back(std::make_unique<RawSocket>(endpoints->port()));
      const std::string token = std::to_string(round) + "-" + std::to_string(i);
      const std::string request =
          RequestText("POST", "/metrics",
                      {{"Authorization", "Bearer " + token + std::string(50'000, 't')},
                       {"Content-Length", std::to_string(body.size())}});
      // Sends as much of the body as the kernel accepts.
      all.back()->Send(request);
      all.back()->SendSome(body);
    }
    for (const auto& each : all) {
      EXPECT_THAT(each->ReadToEnd(), AnyOf(HasSubstr(" 401 "), HasSubstr(" 503 ")));
    }
  };
  const std::size_t before = ResidentBytes();
  for (int round = 0; round < 4; ++round) flood(round);
#ifndef KINFORMER_TEST_SANITIZED
  const std::size_t now = ResidentBytes();
  RecordProperty("grown_bytes", std::to_string(now - std::min(now, before)));
  EXPECT_LT(now, before + (std::size_t{60} << 20));
#else
  static_cast<void>(before);
#endif
}

// Each starts a watch, then stops reading.
TEST_F(ScarcityTest, TenThousandSlowWatchers_TakeNoMoreThanWhatHappens) {
  constexpr int kWatchers = 10'000;
  constexpr int kWrites = 400;
  std::vector<std::unique_ptr<ResponseStream>> watches;
  std::vector<BodyChunk> chunks;
  server_.With([&](apiserver::ApiServer& api) {
    for (int i = 0; i < kWatchers; ++i) {
      HttpRequest request{.method = "GET",
                          .target = "/api/v1/configmaps?watch=1&allowWatchBookmarks=true"};
      watches.push_back(api.Handle(std::move(request)));
      watches.back()->SetWake([] {});
      static_cast<void>(watches.back()->Read(65536, chunks));
      chunks.clear();
    }
  });
  const std::size_t before = ResidentBytes();
  const std::string value(20'000, 'x');
  for (int i = 0; i < kWrites; ++i) server_.Put("slow", value + std::to_string(i));
#ifndef KINFORMER_TEST_SANITIZED  // where freed memory is kept
  EXPECT_LT(ResidentBytes() - before, std::size_t{64} << 20);
#else
  static_cast<void>(before);
#endif
  EXPECT_EQ(Exchange(server_.port(), RequestText("GET", "/livez")).status, 200);
  // Each watch gets all events, or an error that it was too slow; they may end in any order.
  server_.With([&](apiserver::ApiServer&) {
    std::string text;
    ResponseStream& one = *watches.back();
    for (int reads = 0; reads < 10'000; ++reads) {
      const auto state = one.Read(65536, chunks);
      for (const BodyChunk& chunk : chunks) text += chunk.bytes;
      chunks.clear();
      if (state != ResponseStream::State::kMore) break;
    }
    EXPECT_THAT(text, AnyOf(HasSubstr("x" + std::to_string(kWrites - 1) + "\""),
                            HasSubstr("\"code\":410")));
    watches.clear();
  });
}

TEST_F(ScarcityTest, FiveThousandIdleConnections_TakeLittleAndStopNobody) {
  rlimit most{};
  getrlimit(RLIMIT_NOFILE, &most);
  const Limit more(RLIMIT_NOFILE, most.rlim_max);
  // Both ends are in this process.
  const std::size_t count = std::min<std::size_t>(5'000, (most.rlim_max - 200) / 2);
  const std::size_t before = ResidentBytes();
  std::vector<std::unique_ptr<RawSocket>> idle;
  for (std::size_t i = 0; i < count; ++i) {
    idle.push_back(std::make_unique<RawSocket>(server_.port()));
    ASSERT_TRUE(idle.back()->connected()) << i;
    if (i % 2 == 0) idle.back()->Send("GET /livez HTTP/1.1\r\nHost: loc");
  }
  EXPECT_EQ(Exchange(server_.port(), RequestText("GET", "/livez")).status, 200);
#ifndef KINFORMER_TEST_SANITIZED
  EXPECT_LT(ResidentBytes() - before, count * (std::size_t{16} << 10));
#else
  static_cast<void>(before);
#endif
  const double cpu = CpuSeconds();
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_LT(CpuSeconds() - cpu, 0.2);
  idle.clear();
  EXPECT_TRUE(Eventually([&] { return OpenDescriptors() < 200; }));
  EXPECT_EQ(Exchange(server_.port(), RequestText("GET", "/livez")).status, 200);
}

}  // namespace
}  // namespace kinformer::testing
