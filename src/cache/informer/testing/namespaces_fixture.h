// cache/informer/testing/namespaces_fixture.h
//
// NamespacesTest: an informer over the namespaces of a fake server, in simulated time.

#ifndef KINFORMER_CACHE_INFORMER_TESTING_NAMESPACES_FIXTURE_H_
#define KINFORMER_CACHE_INFORMER_TESTING_NAMESPACES_FIXTURE_H_

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/log.h"

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {

// A server with a collection for each requested namespace, "" for all of them, and one of
// Namespaces.
class NamespacesTest : public testing::Test {
 protected:
  explicit NamespacesTest(std::shared_ptr<LogSink> log = nullptr) : sim_({.log = std::move(log)}) {}

  static Error Forbidden() {
    return Error(Reason::kForbidden, "pods is forbidden").WithHttpStatus(403);
  }
  internal::client::FakeServer& Server(const std::string& ns) {
    std::unique_ptr<internal::client::FakeServer>& server = servers_[ns];
    if (server == nullptr) {
      server = std::make_unique<internal::client::FakeServer>(sim_.env());
      server->revision = revision_;
      server->namespace_name = ns;
      server->scope.namespace_ = ns;
    }
    return *server;
  }
  internal::client::FakeServer& Namespaces() {
    if (!namespaces_) {
      namespaces_.emplace(sim_.env());
      namespaces_->revision = revision_;
      namespaces_->namespace_name = "";
    }
    return *namespaces_;
  }

  SharedInformer<Pod> Make(InformerOptions<Pod> options, Env* env = nullptr) {
    return SharedInformer<Pod>(
        env == nullptr ? sim_.env() : *env,
        [this](const std::string& ns) { return Server(ns).NewListerWatcher(); },
        std::move(options));
  }
  // Returns an informer that can also list Namespaces, as those of a factory.
  SharedInformer<Pod> MakeWithNamespaces(InformerOptions<Pod> options) {
    return SharedInformer<Pod>(internal::InformerCore::Create(
        sim_.env(), "pods",
        {.objects = [this](const std::string& ns) { return Server(ns).NewListerWatcher(); },
         .namespaces = [this] { return Namespaces().NewListerWatcher(); },
         .namespaced = true},
        internal::SettingsOf(std::move(options))));
  }
  static std::shared_ptr<Recorder> Record(SharedInformer<Pod>& informer,
                                          HandlerOptions options = {}) {
    auto recorder = std::make_shared<Recorder>();
    EXPECT_TRUE(informer.AddEventHandler(recorder, std::move(options)).ok());
    return recorder;
  }
  void Settle() { sim_.RunReady(); }
  static std::optional<Reason> Absence(const Lister<Pod>& pods, std::string_view ns,
                                       std::string_view name) {
    const Result<Ref<Pod>> got = pods.Namespace(ns).Get(name);
    return got ? std::nullopt : std::optional(got.error().reason());
  }
  static Texts NamesIn(const SharedInformer<Pod>& informer) {
    Texts names;
    for (const Pod pod : informer.Snapshot()) names.push_back(pod.name());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::optional<Result<void>> Wait(const std::function<Result<void>()>& wait,
                                   Duration limit = std::chrono::minutes(1)) {
    std::optional<Result<void>> result;
    static_cast<void>(sim_.RunBlocking([&] { result = wait(); }, limit));
    return result;
  }
  static Texts Since(Recorder& recorder) { return std::exchange(recorder.words, {}); }

  Simulation sim_;
  std::shared_ptr<std::uint64_t> revision_ = std::make_shared<std::uint64_t>(0);
  std::map<std::string, std::unique_ptr<internal::client::FakeServer>> servers_;
  std::optional<internal::client::FakeServer> namespaces_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_INFORMER_TESTING_NAMESPACES_FIXTURE_H_
