// Each function that a program passes to an informer throws every time: the informer must sync and
// follow anyway, or its attempts must end with a visible error. The log names each function.

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/testing/api_server.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

json::Value Map(const std::string& name) {
  return json::Value::MakeObject(
      {{"apiVersion", "v1"},
       {"kind", "ConfigMap"},
       {"metadata", json::Value::MakeObject({{"name", name}, {"namespace", "default"}})}});
}

[[noreturn]] void Throw() { throw std::runtime_error("by the program"); }

struct Case {
  const char* name;
  const char* log;    // its name in the log
  bool syncs = true;  // otherwise its attempts end with an error
  bool has_objects = true;
  std::function<void(SharedInformerFactoryOptions&)> factory{};
  std::function<void(InformerOptions<ConfigMap>&)> options{};
  std::function<void(SharedInformer<ConfigMap>&)> informer{};
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

class UserFunctionsTest : public ::testing::TestWithParam<Case> {};

TEST_P(UserFunctionsTest, IsContained_H5) {
  const Case& c = GetParam();
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Simulation sim({.seed = 11, .log = log, .metrics = metrics});
  ApiServer server(sim);
  server.Create(kConfigMaps, Map("first")).OrExit();
  {
    Client client = Client::ForTransport(server.env(), server.transport());
    SharedInformerFactoryOptions factory_options;
    if (c.factory) c.factory(factory_options);
    SharedInformerFactory factory(client, std::move(factory_options));
    InformerOptions<ConfigMap> options;
    if (c.options) c.options(options);
    SharedInformer<ConfigMap> informer = factory.InformerFor<ConfigMap>(std::move(options));
    if (c.informer) c.informer(informer);
    factory.Start();
    const bool synced = sim.RunUntil([&] { return informer.HasSynced(); }, minutes(2));
    EXPECT_EQ(synced, c.syncs);
    if (c.syncs) {
      server.Create(kConfigMaps, Map("second")).OrExit();
      sim.RunFor(seconds(5));
      EXPECT_EQ(informer.Stats().objects, c.has_objects ? 2U : 0U);
    } else {
      EXPECT_THAT(informer.Status().ErrorText(), HasSubstr("by the program"));
      EXPECT_GE(informer.Stats().errors, 2U) << "it goes on trying";
    }
    EXPECT_THAT(log->text(), HasSubstr("function=" + std::string(c.log)));
    EXPECT_THAT(metrics->Text(), HasSubstr("kinformer_user_exceptions_total{function=\"" +
                                           std::string(c.log) + "\"}"));
  }
  sim.RunReady();
}

INSTANTIATE_TEST_SUITE_P(
    All, UserFunctionsTest,
    ::testing::Values(
        Case{.name = "Tweak",
             .log = "tweak_list_options",
             .syncs = false,
             .factory =
                 [](SharedInformerFactoryOptions& o) {
                   o.tweak_list_options = [](ListOptions&) { Throw(); };
                 }},
        Case{.name = "TraceOfTheFactory",
             .log = "trace",
             .factory =
                 [](SharedInformerFactoryOptions& o) {
                   o.trace = [](const TraceEvent&) { Throw(); };
                 }},
        Case{
            .name = "TraceWithAHandler",
            .log = "trace",
            .options =
                [](InformerOptions<ConfigMap>& o) { o.trace = [](const TraceEvent&) { Throw(); }; },
            .informer =
                [](SharedInformer<ConfigMap>& i) {
                  (void)i.AddEventHandler({.on_add = [](const Added<ConfigMap>&) {}});
                }},
        Case{.name = "WatchErrorHandler",
             .log = "the watch error handler",
             .syncs = false,
             .factory =
                 [](SharedInformerFactoryOptions& o) {
                   o.tweak_list_options = [](ListOptions&) { Throw(); };
                 },
             .informer =
                 [](SharedInformer<ConfigMap>& i) {
                   (void)i.SetWatchErrorHandler([](const Error&) { Throw(); });
                 }},
        Case{.name = "Index",
             .log = "an index function",
             .options =
                 [](InformerOptions<ConfigMap>& o) {
                   o.indexers["broken"] = [](ConfigMap, IndexValues&) { Throw(); };
                 }},
        Case{.name = "Transform",
             .log = "the transform",
             .has_objects = false,
             .informer =
                 [](SharedInformer<ConfigMap>& i) {
                   (void)i.SetTransform(
                       [](const Ref<ConfigMap>&) -> Result<Ref<ConfigMap>> { Throw(); });
                 }},
        Case{.name = "TransformOfTheFactory",
             .log = "the transform",
             .has_objects = false,
             .factory =
                 [](SharedInformerFactoryOptions& o) {
                   o.transform = [](const AnyRef&) -> Result<AnyRef> { Throw(); };
                 }},
        Case{.name = "Handler",
             .log = "an event handler",
             .informer =
                 [](SharedInformer<ConfigMap>& i) {
                   (void)i.AddEventHandler({.on_add = [](const Added<ConfigMap>&) { Throw(); }});
                 }}),
    [](const auto& test) { return test.param.name; });

// A custom ListerWatcher that sometimes throws.
class Moody final : public ListerWatcher {
 public:
  explicit Moody(std::unique_ptr<ListerWatcher> inner) : inner_(std::move(inner)) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override {
    if (++calls_ % 2 == 1) Throw();
    return inner_->List(options, receiver);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                       WatchReceiver& receiver) override {
    if (++calls_ % 2 == 1) Throw();
    if (calls_ % 4 == 0) return nullptr;
    return inner_->Watch(options, receiver);
  }
  ListScope Scope() const override { Throw(); }
  bool SetEntryOptions(const EntryOptions& options) override {
    return inner_->SetEntryOptions(options);
  }
  bool IsWatchListSemanticsUnSupported() const override { Throw(); }
  std::string Describe() const override { return inner_->Describe(); }

 private:
  std::unique_ptr<ListerWatcher> inner_;
  int calls_ = 0;
};

TEST(UserFunctionsTest, AListerWatcherMayThrow_H5) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim({.seed = 12, .log = log});
  ApiServer server(sim);
  server.Create(kConfigMaps, Map("first")).OrExit();
  {
    Client client = Client::ForTransport(server.env(), server.transport());
    SharedInformer<ConfigMap> informer(
        client.env(), std::make_unique<Moody>(NewListWatch<ConfigMap>(client, "default")));
    informer.Start();
    EXPECT_TRUE(sim.RunUntil([&] { return informer.HasSynced(); }, minutes(10)));
    server.Create(kConfigMaps, Map("second")).OrExit();
    EXPECT_TRUE(sim.RunUntil([&] { return informer.Stats().objects == 2; }, minutes(10)));
  }
  EXPECT_THAT(log->text(), HasSubstr("function=the lister watcher"));
}

// An exception from the caller's own function, on the caller's thread, reaches the caller after the
// watch has ended.
TEST(UserFunctionsTest, WatchCallbackThrows_CallerCatchesIt_H5) {
  Simulation sim({.seed = 13});
  ApiServer server(sim);
  server.Create(kConfigMaps, Map("first")).OrExit();
  Client client = Client::ForTransport(server.env(), server.transport());
  std::string caught;
  EXPECT_TRUE(sim.RunBlocking(
      [&] {
        try {
          (void)client.For<ConfigMap>("default").Watch(
              {}, [](const ResourceWatchEvent<ConfigMap>&) -> bool { Throw(); });
        } catch (const std::exception& e) {
          caught = e.what();
        }
        EXPECT_TRUE(client.For<ConfigMap>("default").Get("first").ok());
      },
      minutes(1)));
  EXPECT_EQ(caught, "by the program");
}

}  // namespace
}  // namespace kinformer::testing
