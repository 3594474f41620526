// Each function that a program gives to a client ends once what calls it: the call, the informers,
// or the client itself. Nothing may hang, and the program may not be called afterwards.

#include <chrono>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/base/rate_limiter.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/pod_logs.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/rest_request.h"
#include "kinformer/client/transport.h"
#include "kinformer/client/transport_wrapper.h"

#include "client/testing/scripted_server.h"
#include "integration/ending_place.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::minutes;
using std::chrono::seconds;

class OwnCall final : public HttpCall {
 public:
  OwnCall(EndingPlace& place, std::unique_ptr<HttpCall> inner)
      : place_(place), inner_(std::move(inner)) {}
  void SetPaused(bool paused) override {
    inner_->SetPaused(paused);
    place_.Reach("SetPaused");
  }

 private:
  EndingPlace& place_;
  const std::unique_ptr<HttpCall> inner_;
};

class OwnTransport final : public ForwardingTransport {
 public:
  OwnTransport(EndingPlace& place, std::unique_ptr<Transport> inner)
      : ForwardingTransport(std::move(inner)), place_(place) {}
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    place_.Reach("Start");
    return std::make_unique<OwnCall>(place_, inner().Start(std::move(request), receiver));
  }
  [[nodiscard]] TransportStats Stats() const override {
    place_.Reach("Stats");
    return ForwardingTransport::Stats();
  }

 private:
  EndingPlace& place_;
};

class OwnLimiter final : public flowcontrol::RateLimiter {
 public:
  explicit OwnLimiter(EndingPlace& place) : place_(place) {}
  bool TryAccept() override { return true; }
  void Stop() override {}
  [[nodiscard]] double QPS() const override { return 1; }
  void Accept() override {}
  Result<void> Wait(const std::stop_token& /*stop*/, SteadyTime /*deadline*/) override {
    place_.Reach("Wait");
    return {};
  }

 private:
  EndingPlace& place_;
};

// Warns of each answer, and keeps watches open.
ScriptedResponse Answer(const HttpRequest& request) {
  if (request.target.ends_with("/log")) return {.body = std::string(std::size_t{3} << 20, ' ')};
  ScriptedResponse answer =
      Json(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},)"
           R"("items":[]})");
  if (request.target.find("watch=") != std::string::npos) {
    answer = Json(R"({"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":)"
                  R"({"name":"a","namespace":"default","resourceVersion":"6"}}})"
                  "\n");
    answer.hang = true;
  }
  answer.headers.emplace_back("Warning", R"(299 - "deprecated")");
  return answer;
}

// An informer, and a thread with blocking calls, over one client.
class Program {
 public:
  Program(Simulation& sim, Handler& server, EndingPlace& place)
      : place_(place),
        client(Client::ForTransport(
            sim.env(),
            std::make_shared<OwnTransport>(place, NewInMemoryTransport(sim.env(), server)),
            {.rate_limiter = std::make_shared<OwnLimiter>(place),
             .prefer_json = true,
             .warning_handler = [&place](std::string_view) { place.Reach("WarningHandler"); },
             .refresh_credentials =
                 [&place] {
                   place.Reach("RefreshCredentials");
                   return true;
                 },
             .request_observer =
                 [&place](const RequestRecord&) { place.Reach("RequestObserver"); }})),
        factory(std::make_unique<SharedInformerFactory>(*client)),
        informer(factory->InformerFor<ConfigMap>({.initial_list = InitialList::kList})) {}

  void Start() {
    factory->Start();
    thread_ = client->env().NewThread("caller", [this, copy = *client] {
      const CallOptions call{.stop = stop.get_token()};
      const Result<std::string> got = copy.GetRaw("/x", call);
      if (!got) {
        EXPECT_EQ(got.error().reason(), Reason::kCanceled) << got.error();
      }
      static_cast<void>(copy.Stats());
      const Result<void> streamed = RestClient(copy).Get().AbsPath("/log").Stream(
          [this, &copy](std::string_view) {
            place_.Reach("OnData");
            copy.env().SleepFor(seconds(1));  // so that the server is paused
            return true;
          },
          call);
      if (!streamed) {
        EXPECT_EQ(streamed.error().reason(), Reason::kCanceled) << streamed.error();
      }
      const Result<void> lines = StreamLogLines(
          copy.For<corev1::Pod>("default"), "a", {}, {},
          [this](const LogLine&) {
            place_.Reach("OnLine");
            return true;
          },
          call);
      if (!lines) {
        EXPECT_EQ(lines.error().reason(), Reason::kCanceled) << lines.error();
      }
      const Result<void> watched = copy.For<ConfigMap>("default").Watch(
          {},
          [this](const ResourceWatchEvent<ConfigMap>&) {
            place_.Reach("OnEvent");
            return true;
          },
          call);
      ASSERT_FALSE(watched.ok()) << "the server does not end it";
      EXPECT_EQ(watched.error().reason(), Reason::kCanceled) << watched.error();
      returned = true;
    });
  }

 private:
  EndingPlace& place_;

 public:
  std::stop_source stop;
  std::optional<Client> client;
  std::unique_ptr<SharedInformerFactory> factory;
  std::optional<SharedInformer<ConfigMap>> informer;
  bool returned = false;

 private:
  std::unique_ptr<Thread> thread_;
};

struct End {
  const char* name;
  std::function<void(Program&)> end;
  friend std::ostream& operator<<(std::ostream& out, const End& of) { return out << of.name; }
};

const End kEnds[] = {{"Stop",
                      [](Program& p) {
                        p.stop.request_stop();
                        p.factory->Shutdown();
                      }},
                     {"Destruction", [](Program& p) {
                        p.stop.request_stop();
                        p.factory.reset();
                        p.informer.reset();
                        p.client.reset();
                      }}};

class StopFromClient : public ::testing::TestWithParam<std::tuple<const char*, End>> {
 protected:
  Simulation sim_{{.seed = 33}};
  ScriptedServer server_;
};

TEST_P(StopFromClient, CallsAndInformersEnd) {
  const auto& [function, end] = GetParam();
  server_.script = {StatusFailure(401, "Unauthorized", "Unauthorized")};
  server_.fallback = &Answer;
  EndingPlace place(function);
  {
    Program program(sim_, server_, place);
    place.Arm([&program, &of = end] { of.end(program); });
    program.Start();
    ASSERT_TRUE(sim_.RunUntil([&] { return place.ended(); }, minutes(10))) << place.reached();
    ASSERT_TRUE(sim_.RunUntil([&] { return program.returned; }, minutes(10)));
    sim_.RunFor(seconds(30));
    const int calls = place.calls();
    const std::size_t requests = server_.requests.size();
    sim_.RunFor(minutes(30));
    EXPECT_EQ(place.calls(), calls) << "nothing is called once it has ended";
    EXPECT_EQ(server_.requests.size(), requests);
    EXPECT_EQ(server_.open_streams, 0);
  }
  sim_.RunReady();
}

INSTANTIATE_TEST_SUITE_P(All, StopFromClient,
                         ::testing::Combine(::testing::Values("Start", "Stats", "WarningHandler",
                                                              "RefreshCredentials", "OnData",
                                                              "RequestObserver", "OnLine",
                                                              "SetPaused", "OnEvent", "Wait"),
                                            ::testing::ValuesIn(kEnds)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param).name;
                         });

// ---- a program that sends requests by a transport itself

class OwnReceiver final : public ResponseReceiver {
 public:
  explicit OwnReceiver(EndingPlace& place) : place_(place) {}
  void OnHeaders(int, const HttpHeaders&) override { place_.Reach("OnHeaders"); }
  void OnData(std::string_view) override { place_.Reach("OnData"); }
  void OnDone(Result<void>) override {
    ++done;
    place_.Reach("OnDone");
  }
  int done = 0;

 private:
  EndingPlace& place_;
};

class StopFromReceiver : public ::testing::TestWithParam<const char*> {};

TEST_P(StopFromReceiver, TheTransportMayGoAndTheEndIsToldOnce) {
  Simulation sim({.seed = 34});
  ScriptedServer server;
  server.fallback = [](const HttpRequest&) { return Json(std::string(100000, ' ')); };
  EndingPlace place(GetParam());
  OwnReceiver receiver(place);
  std::unique_ptr<Transport> transport = NewInMemoryTransport(sim.env(), server);
  std::unique_ptr<HttpCall> call;
  place.Arm([&] {
    transport.reset();
    // A receiver may destroy its call at the end only.
    if (place.Is("OnDone")) call.reset();
  });
  sim.env().loop().Post([&] { call = transport->Start({.target = "/x"}, receiver); });
  ASSERT_TRUE(sim.RunUntil([&] { return place.ended(); }, minutes(1)));
  ASSERT_TRUE(sim.RunUntil([&] { return receiver.done > 0; }, minutes(1)));
  const int calls = place.calls();
  sim.RunFor(minutes(1));
  EXPECT_EQ(receiver.done, 1);
  EXPECT_EQ(place.calls(), calls);
  EXPECT_EQ(server.open_streams, 0);
}

INSTANTIATE_TEST_SUITE_P(All, StopFromReceiver, ::testing::Values("OnHeaders", "OnData", "OnDone"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace kinformer::testing
