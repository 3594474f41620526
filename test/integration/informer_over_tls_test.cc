// Informers over TLS against the embedded API server: the content of caches after failures of the
// network and of the server, and the errors if access is refused.

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/log.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"

#include "integration/believer.h"
#include "integration/embedded_server.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using ::testing::HasSubstr;

// An informer with a handler that builds its own state from events.
struct Watcher {
  Watcher(const Client& client, InitialList initial_list)
      : informer(client.env(), NewFilteredListWatch<ConfigMap>(client),
                 {.initial_list = initial_list}) {
    static_cast<void>(informer.SetWatchErrorHandler([](const Error&) {}).ok());
    registration =
        informer
            .AddEventHandler(std::static_pointer_cast<ResourceEventHandler<ConfigMap>>(believer))
            .OrExit();
    informer.Start();
  }

  [[nodiscard]] bool Has(const State& state) const {
    return CacheState(informer) == state && believer->believed() == state;
  }

  std::shared_ptr<Believer<ConfigMap>> believer = std::make_shared<Believer<ConfigMap>>();
  SharedInformer<ConfigMap> informer;
  EventHandlerRegistration registration{};
};

// Parameters: JSON, form of the initial list, HTTP/2.
class InformerOverTls : public ::testing::TestWithParam<std::tuple<bool, InitialList, bool>> {};

TEST_P(InformerOverTls, FollowsTheServer) {
  const auto [prefer_json, initial_list, http2] = GetParam();
  EmbeddedServer server({.http2 = http2});
  server.Put("before", "1");
  auto client = Client::NewForConfig(server.ClientConfig(), {.prefer_json = prefer_json});
  ASSERT_TRUE(client.ok()) << client.error();
  Watcher watcher(*client, initial_list);
  const Result<void> synced = watcher.informer.WaitForCacheSync({}, {.timeout = 20s});
  ASSERT_TRUE(synced.ok()) << synced.error();
  EXPECT_TRUE(Eventually([&] { return watcher.Has(server.ServerState()); }));

  server.Put("after", "1");
  server.Put("before", "2");
  EXPECT_TRUE(Eventually([&] { return watcher.Has(server.ServerState()); }));
  const auto before = watcher.informer.lister().Namespace("default").Get("before");
  ASSERT_TRUE(before.ok()) << before.error();
  EXPECT_EQ((**before).data()["value"], "2");

  server.Delete("before");
  EXPECT_TRUE(Eventually([&] { return watcher.Has(server.ServerState()); }));
  EXPECT_THAT(watcher.believer->breaches(), ::testing::IsEmpty());
  EXPECT_EQ(watcher.informer.Stats().AllLists(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Encodings, InformerOverTls,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(InitialList::kWatchList,
                                                              InitialList::kList),
                                            ::testing::Bool()),
                         [](const auto& param) {
                           return std::string(std::get<0>(param.param) ? "Json" : "Protobuf") +
                                  (std::get<1>(param.param) == InitialList::kList ? "List"
                                                                                  : "WatchList") +
                                  (std::get<2>(param.param) ? "Http2" : "Http1");
                         });

TEST(OverTls, KubeconfigOfTheServerLetsIn) {
  Runtime runtime({.log = NewNullLog()});
  std::unique_ptr<apiserver::ApiServer> api;
  const auto on_loop = [&](auto work) {
    std::promise<void> done;
    runtime.env().loop().Post([&] {
      work();
      done.set_value();
    });
    done.get_future().get();
  };
  on_loop([&] { api = std::make_unique<apiserver::ApiServer>(runtime.env()); });
  {
    // Certificates made by the test, and a client certificate instead of a token.
    auto http = apiserver::HttpServer::Listen(runtime.env(), *api,
                                              {.tls = true, .require_client_certificate = true});
    ASSERT_TRUE(http.ok()) << http.error();
    const auto config = Config::FromKubeconfig((*http)->Kubeconfig());
    ASSERT_TRUE(config.ok()) << config.error();
    auto client = Client::NewForConfig(*config);
    ASSERT_TRUE(client.ok()) << client.error();
    const auto listed = client->For<ConfigMap>("default").List();
    EXPECT_TRUE(listed.ok()) << listed.error();
  }
  on_loop([&] { api.reset(); });
}

class OverTlsProtocols : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Protocols, OverTlsProtocols, ::testing::Bool(), [](const auto& param) {
  return std::string(param.param ? "Http2" : "Http1");
});

// Different faults of the connection: the informer must always recover.
TEST_P(OverTlsProtocols, ConnectionFaultsLoseNothing_F23) {
  using apiserver::FaultAction;
  EmbeddedServer server({.http2 = GetParam()});
  server.Put("first", "1");
  auto client = Client::NewForConfig(server.ClientConfig()).OrExit();
  Watcher watcher(client, InitialList::kWatchList);
  ASSERT_TRUE(watcher.informer.WaitForCacheSync({}, {.timeout = 20s}).ok());
  int round = 0;
  for (const FaultAction action : {FaultAction::kGoAway, FaultAction::kStreamLimit,
                                   FaultAction::kBreakConnection, FaultAction::kCutBody}) {
    server.With([&](apiserver::ApiServer& api) {
      api.faults().Add({.verb = "watch", .action = action, .count = 1, .after_bytes = 100});
      api.CloseWatches();
    });
    for (int write = 0; write < 3; ++write) {
      server.Put("first", std::to_string(++round));
      EXPECT_TRUE(Eventually([&] { return watcher.Has(server.ServerState()); }))
          << "action " << static_cast<int>(action);
    }
    server.With([](apiserver::ApiServer& api) { api.faults().Clear(); });
  }
  EXPECT_THAT(watcher.believer->breaches(), ::testing::IsEmpty());
}

// Connections break all the time, the server stops twice, and once its history is too short to
// resume a watch.
TEST_P(OverTlsProtocols, RestartsUnderLoadLoseNothing) {
  EmbeddedServer server({.http2 = GetParam()});
  auto protobuf = Client::NewForConfig(server.ClientConfig()).OrExit();
  auto json = Client::NewForConfig(server.ClientConfig(), {.prefer_json = true}).OrExit();
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (const Client& client : {protobuf, json}) {
    for (const InitialList initial_list : {InitialList::kWatchList, InitialList::kList}) {
      watchers.push_back(std::make_unique<Watcher>(client, initial_list));
    }
  }
  for (const auto& watcher : watchers) {
    const Result<void> synced = watcher->informer.WaitForCacheSync({}, {.timeout = 20s});
    ASSERT_TRUE(synced.ok()) << synced.error();
  }

  std::atomic<bool> stop{false};
  std::atomic<int> writes{0};
  std::thread writer([&] {
    std::vector<bool> there(40);
    for (std::uint32_t i = 0; !stop.load(std::memory_order_relaxed); ++i) {
      const std::uint32_t which = (i * 2654435761U >> 8U) % 40;
      const std::string name = "map-" + std::to_string(which);
      if (there[which] && i % 3 == 0) {
        server.Delete(name);
        there[which] = false;
      } else {
        server.Put(name, std::to_string(i));
        there[which] = true;
      }
      writes.fetch_add(1, std::memory_order_relaxed);
      std::this_thread::sleep_for(2ms);
    }
  });
  for (int round = 0; round < 2; ++round) {
    for (int cut = 0; cut < 6; ++cut) {
      std::this_thread::sleep_for(120ms);
      server.CloseConnections();
    }
    server.Stop();
    const int at = writes.load(std::memory_order_relaxed);
    EXPECT_TRUE(Eventually([&] { return writes.load(std::memory_order_relaxed) > at + 20; }));
    if (round == 0) {
      server.With([](apiserver::ApiServer& api) { api.Compact(api.current_resource_version()); });
    }
    server.Start();
    std::this_thread::sleep_for(300ms);
  }
  stop = true;
  writer.join();

  const State wanted = server.ServerState();
  EXPECT_FALSE(wanted.empty());
  for (std::size_t i = 0; i < watchers.size(); ++i) {
    const Watcher& watcher = *watchers[i];
    EXPECT_TRUE(Eventually([&] { return watcher.Has(wanted); }))
        << "informer " << i << ": cache " << CacheState(watcher.informer).size() << ", handler "
        << watcher.believer->believed().size() << ", server " << wanted.size()
        << "; last error: " << watcher.informer.Status().ErrorText();
    EXPECT_THAT(watcher.believer->breaches(), ::testing::IsEmpty()) << "informer " << i;
    const InformerStats stats = watcher.informer.Stats();
    EXPECT_GE(stats.AllLists(), 2U) << "informer " << i << " resumed where nobody could";
    EXPECT_GE(stats.watches, 3U) << "informer " << i << " was not disturbed";
    EXPECT_GT(watcher.believer->events(), wanted.size());
  }
}

// ---- Access

// Errors of a request and of an informer that are refused.
struct Refusal {
  Error get;
  Error sync;
};

Refusal Refused(const Config& config, bool fail_fast) {
  auto client = Client::NewForConfig(config, {.max_retries = 1}).OrExit();
  Result<Ref<ConfigMap>> got = client.For<ConfigMap>("default").Get("any");
  Watcher watcher(client, InitialList::kWatchList);
  Result<void> synced =
      watcher.informer.WaitForCacheSync({}, {.timeout = 3s, .fail_fast = fail_fast});
  EXPECT_FALSE(got.ok());
  EXPECT_FALSE(synced.ok());
  const Error none(Reason::kUnknown, "it worked");
  return {got ? none : got.error(), synced ? none : synced.error()};
}

TEST(GettingIn, AWrongTokenIsNamedAndNotShown) {
  EmbeddedServer server;
  Config config = server.ClientConfig();
  config.bearer_token = "not-the-secret-token";
  const Refusal refusal = Refused(config, true);
  EXPECT_TRUE(IsUnauthorized(refusal.get)) << refusal.get;
  EXPECT_EQ(refusal.get.http_status(), 401);
  EXPECT_TRUE(IsUnauthorized(refusal.sync)) << refusal.sync;
  EXPECT_THAT(refusal.sync.message(), HasSubstr("configmaps"));
  for (const Error& error : {refusal.get, refusal.sync}) {
    EXPECT_THAT(error.ToString(), ::testing::Not(HasSubstr("not-the-secret-token")));
  }
}

TEST(GettingIn, AnUnknownAuthorityNamesTheRemedy) {
  EmbeddedServer server;
  EmbeddedServer other;
  Config config = server.ClientConfig();
  config.tls.ca_data = other.ca_pem();
  const Refusal refusal = Refused(config, false);
  EXPECT_EQ(refusal.get.reason(), Reason::kTransport) << refusal.get;
  for (const Error& error : {refusal.get, refusal.sync}) {
    EXPECT_THAT(error.message(), HasSubstr("not trusted"));
    EXPECT_THAT(error.message(), HasSubstr("certificate-authority"));
    EXPECT_THAT(error.message(), HasSubstr("127.0.0.1:" + std::to_string(server.port())));
  }
}

TEST(GettingIn, ACertificateForAnotherNameIsRefused) {
  EmbeddedServer server;
  Config config = server.ClientConfig();
  config.tls.server_name = "api.example";
  const Refusal refusal = Refused(config, false);
  EXPECT_EQ(refusal.get.reason(), Reason::kTransport) << refusal.get;
  for (const Error& error : {refusal.get, refusal.sync}) {
    EXPECT_THAT(error.message(), HasSubstr("another name"));
    EXPECT_THAT(error.message(), HasSubstr("tls-server-name"));
  }
}

TEST(GettingIn, ForbiddenIsNamed) {
  EmbeddedServer server;
  server.With([](apiserver::ApiServer& api) {
    for (const char* verb : {"get", "list", "watch"}) {
      api.faults().Add({.verb = verb,
                        .resource = "configmaps",
                        .action = apiserver::FaultAction::kRespond,
                        .status = 403});
    }
  });
  const Refusal refusal = Refused(server.ClientConfig(), true);
  EXPECT_TRUE(IsForbidden(refusal.get)) << refusal.get;
  EXPECT_TRUE(IsForbidden(refusal.sync)) << refusal.sync;
  EXPECT_THAT(refusal.sync.message(), HasSubstr("configmaps"));
}

TEST(GettingIn, AServerThatIsNotThereIsNamed) {
  EmbeddedServer server;
  server.Stop();
  const Refusal refusal = Refused(server.ClientConfig(), false);
  EXPECT_TRUE(IsConnectionRefused(refusal.get)) << refusal.get;
  EXPECT_EQ(refusal.sync.reason(), Reason::kDeadlineExceeded) << refusal.sync;
  EXPECT_THAT(refusal.sync.message(), HasSubstr("connection refused"));
  EXPECT_THAT(refusal.sync.message(), HasSubstr("Is the server running"));
}

TEST(GettingIn, ServerStartsLate_InformerSyncs) {
  EmbeddedServer server;
  server.Put("one", "1");
  server.Stop();
  auto client = Client::NewForConfig(server.ClientConfig()).OrExit();
  Watcher watcher(client, InitialList::kWatchList);
  ASSERT_TRUE(Eventually([&] { return watcher.informer.Stats().errors > 0; }));
  EXPECT_THAT(watcher.informer.Status().ErrorText(), HasSubstr("connection refused"));
  const auto absent = watcher.informer.lister().Namespace("default").Get("one");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().reason(), Reason::kNotSynced) << absent.error();
  server.Start();
  EXPECT_TRUE(Eventually([&] { return watcher.Has(server.ServerState()); }));
  EXPECT_EQ(watcher.informer.Status().ErrorText(), "");
}

}  // namespace
}  // namespace kinformer::testing
