#include "soak/chaos_server.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>

#include "kinformer/json/json.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/resource.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
constexpr milliseconds kTurn{2};
// A writer that was stopped longer than this, for example by SIGSTOP, does not catch up.
constexpr milliseconds kArrears{100};

class Writer {
 public:
  Writer(ApiServer& server, const ChaosServerOptions& options)
      : server_(server), options_(options), dice_(options.seed) {}

  void Begin() {
    written_ = 0;
    begun_ = steady_clock::now();
    thread_ = std::jthread([this](const std::stop_token& stop) { Write(stop); });
  }
  void End() {
    thread_ = std::jthread();
    took_ = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun_);
  }
  // Sets all objects to the state they have at every rest.
  void Settle() {
    server_.With([this](apiserver::ApiServer& api) {
      for (std::size_t i = 0; i < options_.objects; ++i) Put(api, i, 1000);
    });
  }
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] milliseconds took() const { return took_; }

 private:
  void Write(const std::stop_token& stop) {
    auto turn = steady_clock::now();
    double due = 0;
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(kTurn);
      const auto now = steady_clock::now();
      due += std::chrono::duration<double>(std::min<steady_clock::duration>(now - turn, kArrears))
                 .count() *
             options_.rate;
      turn = now;
      server_.With([&](apiserver::ApiServer& api) {
        for (; due >= 1; --due) WriteOne(api);
      });
    }
  }
  void WriteOne(apiserver::ApiServer& api) {
    const std::size_t i = dice_() % options_.objects;
    ++written_;
    if (dice_() % 8 == 0 && api.Delete(kConfigMaps, NameOf(i)).ok()) return;
    Put(api, i, 100 + dice_() % 1900);
  }
  void Put(apiserver::ApiServer& api, std::size_t i, std::size_t size) {
    const ObjectName name = NameOf(i);
    std::string value = std::to_string(dice_());
    value.resize(size, static_cast<char>('a' + dice_() % 26));
    json::Value object = json::Value::MakeObject(
        {{"metadata",
          json::Value::MakeObject({{"name", name.name}, {"namespace", name.namespace_}})},
         {"data", json::Value::MakeObject({{"value", std::move(value)}})}});
    if (!api.Update(kConfigMaps, object).ok()) {
      api.Create(kConfigMaps, std::move(object)).OrExit();
    }
  }
  static ObjectName NameOf(std::size_t i) { return {"default", "map-" + std::to_string(i)}; }

  ApiServer& server_;
  const ChaosServerOptions& options_;
  std::mt19937 dice_;
  std::uint64_t written_ = 0;  // used by the thread while there is one
  steady_clock::time_point begun_;
  milliseconds took_{0};
  std::jthread thread_;
};

}  // namespace

int RunChaosServer(const ChaosServerOptions& options) {
  // Clients that were away for more than about ten seconds get 410 and list again.
  const auto history = static_cast<std::size_t>(options.rate) * 10;
  ApiServer server({.history_events = history, .bootstrap_objects = false});
  server.Listen({.tls = true, .http2 = options.http2}).OrExit();
  server.WriteKubeconfig(options.kubeconfig).OrExit();
  Writer writer(server, options);
  writer.Settle();
  std::cout << "ready " << server.http().port() << std::endl;
  for (std::string order; std::getline(std::cin, order);) {
    if (order == "write") {
      writer.Begin();
      continue;
    }
    writer.End();
    writer.Settle();
    const auto version =
        server.With([](apiserver::ApiServer& api) { return api.current_resource_version(); });
    std::cout << "rests " << version << ' ' << writer.written() << ' ' << writer.took().count()
              << std::endl;
  }
  return 0;
}

}  // namespace kinformer::testing
