#include "kinformer/client/async_resource_client.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/asio.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"

#include "client/testing/config_map_client.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using testing::ConfigMapJson;
using testing::Json;
using testing::ScriptedResponse;
using testing::ScriptedServer;
using testing::StatusFailure;
using ConfigMaps = AsyncResourceClient<corev1::ConfigMap>;
using ConfigMapResult = Result<Ref<corev1::ConfigMap>>;

class AsyncResourceClientTest : public testing::ClientTest {
 protected:
  ConfigMaps Maps(const std::string& ns = "default") {
    return ConfigMaps(client_->For<corev1::ConfigMap>(ns));
  }
  // Runs the task on the loop, in simulated time.
  template <class T>
  T Run(Task<T> task) {
    std::optional<T> result;
    Spawn<T>(sim_.env(), sim_.env().loop(), std::move(task),
             [&result](T got) { result.emplace(std::move(got)); });
    sim_.RunFor(std::chrono::minutes(5));
    return result ? *std::move(result) : T(Error(Reason::kInternalError, "it has not ended"));
  }
};

// Every verb, in one coroutine.
Task<Result<void>> AllVerbs(ConfigMaps maps, std::vector<std::string>* done) {
  corev1::ConfigMap::Mutable map;
  map.metadata.name = "a";
  ConfigMapResult created = co_await maps.Create(map);
  if (!created) co_return created.error();
  done->emplace_back((*created)->metadata().resourceVersion());
  ConfigMapResult got = co_await maps.Get("a");
  if (!got) co_return got.error();
  done->emplace_back((*got)->metadata().resourceVersion());
  ConfigMapResult updated = co_await maps.Update(map);
  if (!updated) co_return updated.error();
  done->emplace_back((*updated)->metadata().resourceVersion());
  kinformer::Patch patch{.body = "{}"};
  ConfigMapResult patched = co_await maps.Patch("a", patch);
  if (!patched) co_return patched.error();
  done->emplace_back((*patched)->metadata().resourceVersion());
  Result<ObjectList<corev1::ConfigMap>> listed = co_await maps.List();
  if (!listed) co_return listed.error();
  done->push_back(std::to_string(listed->size()));
  Result<void> deleted = co_await maps.Delete("a");
  if (!deleted) co_return deleted;
  co_return co_await maps.DeleteCollection();
}

TEST_F(AsyncResourceClientTest, VerbsInACoroutineOnTheLoop) {
  const std::string list = R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[)" +
                           ConfigMapJson("a", "4") + "]}";
  server_.script = {Json(ConfigMapJson("a", "1")),
                    Json(ConfigMapJson("a", "2")),
                    Json(ConfigMapJson("a", "3")),
                    Json(ConfigMapJson("a", "4")),
                    Json(list),
                    Json("{}"),
                    Json("{}")};
  std::vector<std::string> done;
  const Result<void> all = Run(AllVerbs(Maps(), &done));
  EXPECT_TRUE(all.ok()) << all.error();
  EXPECT_EQ(done, (std::vector<std::string>{"1", "2", "3", "4", "1"}));
  std::vector<std::string> methods;
  for (const HttpRequest& request : server_.requests) methods.push_back(request.method);
  EXPECT_EQ(methods,
            (std::vector<std::string>{"POST", "GET", "PUT", "PATCH", "GET", "DELETE", "DELETE"}));
}

TEST_F(AsyncResourceClientTest, Start_CallsItsFunctionOnTheLoopAndNothingBefore) {
  server_.script = {Json(ConfigMapJson("a", "7"))};
  std::optional<ConfigMapResult> got;
  bool on_loop = false;
  {
    auto call = Maps().Get("a");
    sim_.RunFor(seconds(1));
    EXPECT_TRUE(server_.requests.empty()) << "it was sent before it was started";
    std::move(call).Start([&](ConfigMapResult result) {
      on_loop = sim_.env().OnLoopThread();
      got = std::move(result);
      throw std::runtime_error("logged, and no harm");
    });
    client_.reset();  // the call keeps what it needs
    transport_.reset();
  }
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(got && got->ok());
  EXPECT_EQ((**got)->metadata().resourceVersion(), "7");
  EXPECT_TRUE(on_loop);
}

// The function destroys all that made the call, and makes another call meanwhile.
TEST_F(AsyncResourceClientTest, AFunctionMayEndItsClient) {
  server_.fallback = [](const HttpRequest&) { return Json(ConfigMapJson("a", "7")); };
  int called = 0;
  bool other = false;
  const auto end = [&](const ConfigMapResult&) {
    ++called;
    Maps().Get("b").Start([&](const ConfigMapResult& got) { other = got.ok(); });
    client_.reset();
    transport_.reset();
  };
  Maps().Get("a").Start(end);
  sim_.RunFor(seconds(1));
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(other);
}

TEST_F(AsyncResourceClientTest, Errors_AreThoseOfTheBlockingClient) {
  server_.fallback = [](const HttpRequest&) { return StatusFailure(404, "NotFound", "gone"); };
  EXPECT_TRUE(IsNotFound(Run(Maps().Get("a").AsTask()).error()));
  EXPECT_TRUE(IsNotFound(Run(Maps().Delete("a").AsTask()).error()));
  EXPECT_EQ(Run(Maps().Get("").AsTask()).error().reason(), Reason::kInvalidArgument);
  const corev1::ConfigMap::Mutable nameless;
  EXPECT_EQ(Run(Maps("").Create(nameless).AsTask()).error().reason(), Reason::kInvalidArgument);
}

TEST_F(AsyncResourceClientTest, StopAndDeadline_EndACallThatHangs) {
  server_.fallback = [](const HttpRequest&) { return ScriptedResponse{.body = "{", .hang = true}; };
  std::stop_source stop;
  std::vector<std::pair<Reason, Duration>> ended;
  const SteadyTime begun = sim_.env().Now();
  const auto record = [&](ConfigMapResult result) {
    ended.emplace_back(result.error().reason(), sim_.env().Now() - begun);
  };
  Maps().Get("a").WithStop(stop.get_token()).Start(record);
  Maps().Get("b").WithTimeout(seconds(3)).Start(record);
  const Timer timer = sim_.env().loop().RunAt(begun + seconds(5), [&] { stop.request_stop(); });
  sim_.RunFor(seconds(10));
  EXPECT_EQ(ended, (std::vector<std::pair<Reason, Duration>>{
                       {Reason::kDeadlineExceeded, seconds(3)}, {Reason::kCanceled, seconds(5)}}));
  ended.clear();
  Maps().Get("a").WithStop(stop.get_token()).Start(record);
  sim_.RunFor(seconds(1));
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].first, Reason::kCanceled) << "stopped before it began";
}

TEST_F(AsyncResourceClientTest, Watch_CallsItsFunctionWithinTheTask) {
  const auto event = [](const std::string& name) {
    return R"({"type":"ADDED","object":)" + ConfigMapJson(name, "5") + "}\n";
  };
  server_.script = {Json(event("a") + event("b") + event("c"))};
  std::vector<std::string> names;
  const auto two = [&](const ResourceWatchEvent<corev1::ConfigMap>& e) {
    names.emplace_back(e.object->metadata().name());
    return names.size() < 2;
  };
  EXPECT_TRUE(Run(Maps().Watch({}, two).AsTask()).ok());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"})) << "false ends it";
}

TEST_F(AsyncResourceClientTest, TwoThousandRequests_AreOnTheirWayAtOnceWithoutAThreadEach) {
  constexpr int kRequests = 2'000;
  int waiting = 0;
  server_.fallback = [&](const HttpRequest& request) {
    ++waiting;
    const std::string name = request.target.substr(request.target.rfind('/') + 1);
    return Json(ConfigMapJson(name, "1"));
  };
  int answered = 0;
  int at_first_answer = 0;
  for (int i = 0; i < kRequests; ++i) {
    Maps().Get("m" + std::to_string(i)).Start([&](const ConfigMapResult& got) {
      if (answered++ == 0) at_first_answer = waiting;
      EXPECT_TRUE(got.ok());
    });
  }
  sim_.RunFor(seconds(60));
  EXPECT_EQ(answered, kRequests);
  EXPECT_EQ(at_first_answer, kRequests) << "all of them were sent before the first answer";
}

TEST_F(AsyncResourceClientTest, AnObjectIsSentAsItWasWhenTheCallWasMade) {
  const Client json =
      Client::ForTransport(sim_.env(), transport_, {.qps = -1, .prefer_json = true});
  const ConfigMaps maps(json.For<corev1::ConfigMap>("default"));
  corev1::ConfigMap::Mutable map;
  map.metadata.name = "a";
  int done = 0;
  const auto count = [&](const ConfigMapResult&) { ++done; };
  maps.Create(map).Start(count);
  map.metadata.name = "b";
  maps.Update(map).Start(count);
  map.metadata.name = "c";
  sim_.RunFor(seconds(1));
  EXPECT_EQ(done, 2);
  ASSERT_EQ(server_.requests.size(), 2U);
  EXPECT_NE(server_.requests[0].body.find(R"("name":"a")"), std::string::npos);
  EXPECT_NE(server_.requests[1].body.find(R"("name":"b")"), std::string::npos);
}

// ---- boost::asio

boost::asio::awaitable<void> GetTwice(ConfigMaps maps, std::vector<std::string>* versions,
                                      boost::asio::io_context* io, bool* elsewhere) {
  for (int i = 0; i < 2; ++i) {
    const auto got = co_await ForAsio(maps.Get("a"), boost::asio::use_awaitable);
    versions->emplace_back(got ? (*got)->metadata().resourceVersion() : got.error().message());
    *elsewhere = *elsewhere || !io->get_executor().running_in_this_thread();
  }
}

TEST(ForAsioTest, UseAwaitable_ContinuesOnTheProgramsExecutor) {
  Runtime runtime;
  ScriptedServer server;
  server.fallback = [](const HttpRequest&) { return Json(ConfigMapJson("a", "5")); };
  const Client client =
      Client::ForTransport(runtime.env(), NewInMemoryTransport(runtime.env(), server), {.qps = -1});
  boost::asio::io_context io;
  std::vector<std::string> versions;
  bool elsewhere = false;
  boost::asio::co_spawn(
      io,
      GetTwice(ConfigMaps(client.For<corev1::ConfigMap>("default")), &versions, &io, &elsewhere),
      boost::asio::detached);
  io.run();  // ends when the coroutine has: a call under way counts as work
  EXPECT_EQ(versions, (std::vector<std::string>{"5", "5"}));
  EXPECT_FALSE(elsewhere);
}

TEST(ForAsioTest, OtherTokens) {
  Runtime runtime;
  ScriptedServer server;
  server.fallback = [](const HttpRequest&) { return Json("{}"); };
  const Client client =
      Client::ForTransport(runtime.env(), NewInMemoryTransport(runtime.env(), server), {.qps = -1});
  const ConfigMaps maps(client.For<corev1::ConfigMap>("default"));
  boost::asio::io_context io;
  bool called = false;
  ForAsio(maps.Delete("a"), boost::asio::bind_executor(io, [&](const Result<void>& deleted) {
            called = deleted.ok() && io.get_executor().running_in_this_thread();
          }));
  io.run();
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace kinformer
