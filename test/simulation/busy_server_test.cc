// Many informers on a server that admits a few lists at a time and refuses the others with 429.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kInformers = 50;
constexpr std::size_t kAdmitted = 4;
constexpr Duration kWork = milliseconds(300);

class Refusal final : public ResponseStream {
 public:
  Refusal() {
    headers_.Add("Content-Type", "application/json");
    headers_.Add("Retry-After", "1");
  }
  int status() const override { return 429; }
  const HttpHeaders& headers() const override { return headers_; }
  State Read(std::size_t, std::vector<BodyChunk>& out) override {
    out.push_back(BodyChunk::Of(
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":429,)"
        R"("reason":"TooManyRequests","message":"too many requests, please try again later"})"));
    return State::kEnd;
  }
  void SetWake(std::function<void()>) override {}

 private:
  HttpHeaders headers_;
};

// Works on a list for a while; beyond a few, other lists are refused in that time.
class BusyServer final : public Handler {
 public:
  BusyServer(Env& env, Handler& server) : env_(env), server_(server) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    const bool lists = request.target.find("watch=") == std::string::npos ||
                       request.target.find("sendInitialEvents=") != std::string::npos;
    if (!lists) return server_.Handle(std::move(request));
    ++requests;
    if (works_.size() >= kAdmitted) {
      std::erase_if(works_, [this](SteadyTime end) { return end <= env_.Now(); });
    }
    if (works_.size() >= kAdmitted) return std::make_unique<Refusal>();
    works_.push_back(env_.Now() + kWork);
    return server_.Handle(std::move(request));
  }
  std::size_t requests = 0;

 private:
  Env& env_;
  Handler& server_;
  std::vector<SteadyTime> works_;
};

class ManyInformers : public ::testing::TestWithParam<InitialList> {};
INSTANTIATE_TEST_SUITE_P(Both, ManyInformers,
                         ::testing::Values(InitialList::kList, InitialList::kWatchList));

TEST_P(ManyInformers, BusyServer_AllInformersSyncSoon) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Simulation sim({.seed = seed});
    apiserver::ApiServer server(sim.env());
    BusyServer busy(sim.env(), server);
    const std::shared_ptr<InMemoryTransport> transport = NewInMemoryTransport(sim.env(), busy, {});
    const Client client = Client::ForTransport(sim.env(), transport, {.qps = -1});
    std::vector<SharedInformer<corev1::ConfigMap>> informers;
    for (std::size_t i = 0; i < kInformers; ++i) {
      informers.emplace_back(sim.env(),
                             NewListWatch<corev1::ConfigMap>(client, "ns-" + std::to_string(i)),
                             InformerOptions<corev1::ConfigMap>{.initial_list = GetParam()});
      informers.back().Start();
    }
    const SteadyTime began = sim.env().Now();
    const bool all = sim.RunUntil(
        [&] {
          return std::all_of(informers.begin(), informers.end(),
                             [](const auto& informer) { return informer.HasSynced(); });
        },
        seconds(20));
    std::uint64_t errors = 0;
    for (const auto& informer : informers) errors += informer.Stats().errors;
    EXPECT_TRUE(all);
    EXPECT_LE(busy.requests, 4 * kInformers);
    EXPECT_EQ(errors, busy.requests - kInformers) << "each refusal is seen";
    RecordProperty("milliseconds", static_cast<int>((sim.env().Now() - began) / milliseconds(1)));
    RecordProperty("requests", static_cast<int>(busy.requests));
    for (auto& informer : informers) informer.Stop();
    sim.RunReady();
    informers.clear();
    sim.RunReady();
  }
}

}  // namespace
}  // namespace kinformer::testing
