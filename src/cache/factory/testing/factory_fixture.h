// cache/factory/testing/factory_fixture.h
//
// FactoryTest: tests of a SharedInformerFactory over a FakeServer for each resource and namespace.

#ifndef KINFORMER_CACHE_FACTORY_TESTING_FACTORY_FIXTURE_H_
#define KINFORMER_CACHE_FACTORY_TESTING_FACTORY_FIXTURE_H_

#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/lister_watcher.h"

#include "client/testing/fake_lister_watcher.h"

namespace kinformer {

// Creates one fake server for each requested resource and namespace.
class FakeProvider final : public ListerWatcherProvider {
 public:
  explicit FakeProvider(Env& env) : env_(env) {}
  [[nodiscard]] Env& env() const override { return env_; }
  std::unique_ptr<ListerWatcher> NewListWatch(
      const KindInfo& type, const std::string& namespace_,
      const std::function<void(ListOptions&)>& tweak) override {
    internal::client::FakeServer& server = Server(std::string(type.resource) + "@" + namespace_);
    ListOptions options;
    if (tweak) tweak(options);
    server.scope = {namespace_, options.labelSelector, options.fieldSelector};
    return server.NewListerWatcher();
  }
  internal::client::FakeServer& Server(const std::string& name) {
    auto& server = servers_[name];
    if (server == nullptr) server = std::make_unique<internal::client::FakeServer>(env_);
    return *server;
  }
  [[nodiscard]] std::size_t size() const { return servers_.size(); }

 private:
  Env& env_;
  std::map<std::string, std::unique_ptr<internal::client::FakeServer>> servers_;
};

class FactoryTest : public testing::Test {
 protected:
  FactoryTest() : provider_(std::make_shared<FakeProvider>(sim_.env())) {}
  void Settle() { sim_.RunReady(); }

  // Collects the errors.
  class ErrorLog final : public LogSink {
   public:
    [[nodiscard]] LogLevel level() const override { return LogLevel::kError; }
    void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
      std::string line;
      for (const LogField& field : fields) line += field.value + " ";
      lines.push_back(std::move(line));
    }
    std::vector<std::string> lines{};
  };

  const std::shared_ptr<ErrorLog> log_ = std::make_shared<ErrorLog>();
  Simulation sim_{{.log = log_}};
  std::shared_ptr<FakeProvider> provider_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_FACTORY_TESTING_FACTORY_FIXTURE_H_
