// test/simulation/consistency_fixture.h
//
// An informer and a server that can be restored from a backup, with log lines and metrics of the
// consistency check.

#ifndef KINFORMER_TEST_SIMULATION_CONSISTENCY_FIXTURE_H_
#define KINFORMER_TEST_SIMULATION_CONSISTENCY_FIXTURE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"

namespace kinformer::testing {

// The version of each key NAMESPACE/NAME.
using CachedState = std::map<std::string, std::string>;

inline const GroupVersionResource kNamespaces{"", "v1", "namespaces"};
inline const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
inline constexpr char kOff[] = "the consistency check is off for this informer";
inline constexpr char kDiffers[] =
    "the cache differs from the server, though no event was missed; will list again";

// Keeps log lines about the consistency check.
class CheckLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kInfo; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    if (message != kOff && message != kDiffers) return;
    std::string line(message);
    for (const LogField& field : fields) {
      if (field.key == "keys" || field.key == "why") line += ": " + std::string(field.value);
    }
    lines.push_back(std::move(line));
  }
  std::vector<std::string> lines{};
};

// Counts the lists that reach the server.
class CountingHandler final : public Handler {
 public:
  explicit CountingHandler(Handler& inner) : inner_(inner) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    if (request.target.find("watch=") == std::string::npos) ++lists;
    return inner_.Handle(std::move(request));
  }
  std::uint64_t lists = 0;

 private:
  Handler& inner_;
};

class ConsistencyTest : public ::testing::Test {
 protected:
  ConsistencyTest() {
    for (int i = 0; i < 8; ++i) Put("default", "map-" + std::to_string(i), "first");
  }
  ~ConsistencyTest() override {
    if (informer_ == nullptr) return;
    informer_->Stop();
    sim_.RunReady();
    informer_.reset();
    sim_.RunReady();
  }

  void Begin(InformerOptions<corev1::ConfigMap> options = {}, const std::string& ns = "",
             std::function<void(ListOptions&)> tweak = {}) {
    Make(std::move(options), ns, std::move(tweak));
    Sync();
  }
  void Make(InformerOptions<corev1::ConfigMap> options, const std::string& ns = "",
            std::function<void(ListOptions&)> tweak = {}) {
    SharedInformer<corev1::ConfigMap> informer(
        sim_.env(), NewFilteredListWatch<corev1::ConfigMap>(client_, ns, std::move(tweak)),
        std::move(options));
    informer_ = std::make_unique<SharedInformer<corev1::ConfigMap>>(std::move(informer));
  }
  // Starts with a selector for that namespace, which excludes nothing yet, and all others without.
  void BeginApart(const std::string& ns, InformerOptions<corev1::ConfigMap> options = {}) {
    const LabelSelector seen = LabelSelector::Parse("value!=hidden").OrExit();
    factory_ = std::make_unique<SharedInformerFactory>(
        client_,
        SharedInformerFactoryOptions{.by_namespace = {{ns, {.label_selector = seen}}, {"", {}}}});
    informer_ = std::make_unique<SharedInformer<corev1::ConfigMap>>(
        factory_->InformerFor<corev1::ConfigMap>(std::move(options)));
    Sync();
  }
  void Sync() {
    informer_->Start();
    ASSERT_TRUE(sim_.RunUntil([this] { return informer_->HasSynced(); }, std::chrono::minutes(1)));
  }

  void Put(const std::string& ns, const std::string& name, const std::string& value) {
    if (!server_.Get(kNamespaces, {"", ns}).ok()) {
      server_
          .Create(kNamespaces,
                  json::Value::MakeObject({{"metadata", json::Value::MakeObject({{"name", ns}})}}))
          .OrExit();
    }
    json::Value object = json::Value::MakeObject(
        {{"metadata",
          json::Value::MakeObject({{"name", name},
                                   {"namespace", ns},
                                   {"labels", json::Value::MakeObject({{"value", value}})}})},
         {"data", json::Value::MakeObject({{"value", value}})}});
    const bool exists = server_.Get(kConfigMaps, {ns, name}).ok();
    (exists ? server_.Update(kConfigMaps, std::move(object))
            : server_.Create(kConfigMaps, std::move(object)))
        .OrExit();
  }

  // While no watch is connected, restores the server and writes a new history that goes beyond the
  // version that the informer has seen, without an event that would show it: the cache has "lost"
  // and not "found", and an old "map-1".
  void RestoreAndOvertake() {
    const std::int64_t backup = server_.current_resource_version();
    Put("default", "lost", "old-history");
    sim_.RunFor(std::chrono::seconds(2));
    ASSERT_TRUE(informer_->lister().Namespace("default").Get("lost").ok());
    transport_->Down();
    sim_.RunReady();
    const std::int64_t reached = server_.current_resource_version();
    server_.Restore(backup).OrExit();
    Put("default", "found", "new-history");
    while (server_.current_resource_version() < reached) Put("default", "map-1", "changed");
    Put("elsewhere", "new", "news");
    transport_->Up();
  }

  [[nodiscard]] CachedState Cached() const {
    CachedState state;
    for (const corev1::ConfigMap map : informer_->Snapshot()) {
      state[std::string(map.metadata().namespace_()) + "/" + std::string(map.metadata().name())] =
          map.metadata().resourceVersion();
    }
    return state;
  }
  [[nodiscard]] bool Equal() { return Cached() == server_.DumpState(kConfigMaps); }
  [[nodiscard]] InformerStats Stats() const { return informer_->Stats(); }

  const std::shared_ptr<CheckLog> log_ = std::make_shared<CheckLog>();
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.seed = 5, .log = log_, .metrics = metrics_}};
  apiserver::ApiServer server_{
      sim_.env(), {.bookmark_interval = std::chrono::seconds(20), .bootstrap_objects = false}};
  CountingHandler handler_{server_};
  std::shared_ptr<InMemoryTransport> transport_ =
      NewInMemoryTransport(sim_.env(), handler_, {.max_latency = std::chrono::milliseconds(5)});
  Client client_ = Client::ForTransport(sim_.env(), transport_, {.qps = -1});
  std::unique_ptr<SharedInformerFactory> factory_;  // null: there is none
  std::unique_ptr<SharedInformer<corev1::ConfigMap>> informer_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_CONSISTENCY_FIXTURE_H_
