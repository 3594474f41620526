// Each function that a program passes to a controller's watches throws for one object: other
// objects still get their requests, and the controller continues.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/event_channel.h"
#include "kinformer/controller/handler.h"
#include "kinformer/controller/object_reconciler.h"
#include "kinformer/controller/predicate.h"
#include "kinformer/controller/source.h"

#include "operator/manager_fixture.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Queue = RequestQueue<Request>;
using Handler = std::shared_ptr<handler::EventHandler<ConfigMap>>;
using Predicate = predicate::Predicate<ConfigMap>;

// Returns true if it does not throw.
bool Good(const ConfigMap& object) {
  if (object.metadata().name() == "bad") throw std::runtime_error("by the program");
  return true;
}

// Throws in the named method; in other methods, adds the request of the object.
class ThrowingHandler final : public handler::EventHandler<ConfigMap> {
 public:
  explicit ThrowingHandler(std::string where) : where_(std::move(where)) {}
  void Create(const Added<ConfigMap>& e, const Queue& q) override { Add("Create", e.object, q); }
  void Update(const Updated<ConfigMap>& e, const Queue& q) override {
    Add("Update", e.new_object, q);
  }
  void Delete(const Deleted<ConfigMap>& e, const Queue& q) override { Add("Delete", e.object, q); }
  void Generic(const GenericEvent<ConfigMap>& e, const Queue& q) override {
    Add("Generic", *e.object, q);
  }
  [[nodiscard]] bool OnlyEnqueues() const override {
    if (where_ == "OnlyEnqueues") throw std::runtime_error("by the program");
    return false;
  }

 private:
  void Add(std::string_view method, const ConfigMap& object, const Queue& queue) const {
    if (where_ == method) Good(object);
    queue.Add({"default", std::string(object.metadata().name())});
  }
  const std::string where_;
};

struct Case {
  const char* name;
  std::size_t of_the_watch = 0;    // number of exceptions
  std::size_t of_the_channel = 0;  // likewise
  Handler handler = handler::EnqueueRequestForObject<ConfigMap>();
  Predicate accepts{};
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

class WatchesTest : public ::testing::Test {
 protected:
  // Creates, updates and deletes an object, and sends it over the channel.
  void Run(const std::string& name) {
    const auto object = [&](const char* value) {
      return json::Value::MakeObject(
          {{"apiVersion", "v1"},
           {"kind", "ConfigMap"},
           {"metadata", json::Value::MakeObject({{"name", name}, {"namespace", "default"}})},
           {"data", json::Value::MakeObject({{"key", value}})}});
    };
    server_.Create(kConfigMaps, object("1")).OrExit();
    sim_.RunFor(seconds(2));
    Ref<ConfigMap> sent;
    sim_.RunBlocking([&] { sent = client_.For<ConfigMap>("default").Get(name).OrExit(); },
                     seconds(5));
    server_.Patch(kConfigMaps, {"default", name}, json::Parse(R"({"data":{"key":"2"}})").OrExit())
        .OrExit();
    sim_.RunFor(seconds(2));
    server_.Delete(kConfigMaps, {"default", name}).OrExit();
    sim_.RunFor(seconds(2));
    EXPECT_TRUE(channel_.Send(sent).ok());
    sim_.RunFor(seconds(2));
  }
  void Expect(const std::string& function, std::size_t count) {
    const std::string line =
        "kinformer_user_exceptions_total{function=\"" + function + "\"} " + std::to_string(count);
    if (count == 0) {
      EXPECT_THAT(metrics_->Text(), ::testing::Not(HasSubstr("{function=\"" + function + "\"}")));
    } else {
      EXPECT_THAT(metrics_->Text(), HasSubstr(line));
    }
  }
  auto Note() {
    return [this](const ReconcileContext&, const Request& request) {
      seen_.push_back(request.name);
      return Result<ReconcileResult>(ReconcileResult{});
    };
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.seed = 21, .metrics = metrics_}};
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport());
  EventChannel<ConfigMap> channel_{sim_.env()};
  RunningManager manager_{sim_, server_};
  std::vector<std::string> seen_;
};

class WatchFunctionsTest : public WatchesTest, public ::testing::WithParamInterface<Case> {};

TEST_P(WatchFunctionsTest, HandlerOrPredicateThrows_LaterEventsPass) {
  const Case& c = GetParam();
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .Named("maps")
                  .Watches<ConfigMap>(c.handler, c.accepts)
                  .WatchesRawSource(source::Channel<ConfigMap>(channel_, c.handler, c.accepts))
                  .Complete(Note())
                  .ok());
  manager_.Start();
  sim_.RunFor(seconds(5));
  seen_.clear();
  Run("bad");
  EXPECT_EQ(seen_.size(), 4U - c.of_the_watch - c.of_the_channel);
  Expect("an event handler", c.of_the_watch);
  Expect("event handler of a channel", c.of_the_channel);
  seen_.clear();
  Run("good");
  EXPECT_THAT(seen_, ElementsAre("good", "good", "good", "good"));
  EXPECT_FALSE(manager_.ended);
}

Handler Throwing(const char* where) { return std::make_shared<ThrowingHandler>(where); }

// Adds the request unless the object is bad.
void AddGood(const ConfigMap& object, const Queue& queue) {
  if (Good(object)) queue.Add({"default", std::string(object.metadata().name())});
}

// All four functions, one of which is replaced.
Handler Funcs(const std::function<void(handler::Funcs<ConfigMap>&)>& replace) {
  const auto add = [](const ConfigMap& object, const Queue& queue) {
    queue.Add({"default", std::string(object.metadata().name())});
  };
  handler::Funcs<ConfigMap> funcs{
      .create = [add](const Added<ConfigMap>& e, const Queue& q) { add(e.object, q); },
      .update = [add](const Updated<ConfigMap>& e, const Queue& q) { add(e.new_object, q); },
      .delete_ = [add](const Deleted<ConfigMap>& e, const Queue& q) { add(e.object, q); },
      .generic = [add](const GenericEvent<ConfigMap>& e, const Queue& q) { add(*e.object, q); }};
  replace(funcs);
  return handler::HandlerOf<ConfigMap>(std::move(funcs));
}

INSTANTIATE_TEST_SUITE_P(
    All, WatchFunctionsTest,
    ::testing::Values(
        Case{.name = "Create", .of_the_watch = 1, .handler = Throwing("Create")},
        Case{.name = "Update", .of_the_watch = 1, .handler = Throwing("Update")},
        Case{.name = "Delete", .of_the_watch = 1, .handler = Throwing("Delete")},
        Case{.name = "Generic", .of_the_channel = 1, .handler = Throwing("Generic")},
        Case{.name = "FuncsCreate",
             .of_the_watch = 1,
             .handler = Funcs([](handler::Funcs<ConfigMap>& f) {
               f.create = [](const Added<ConfigMap>& e, const Queue& q) { AddGood(e.object, q); };
             })},
        Case{.name = "FuncsUpdate",
             .of_the_watch = 1,
             .handler = Funcs([](handler::Funcs<ConfigMap>& f) {
               f.update = [](const Updated<ConfigMap>& e, const Queue& q) {
                 AddGood(e.new_object, q);
               };
             })},
        Case{.name = "FuncsDelete",
             .of_the_watch = 1,
             .handler = Funcs([](handler::Funcs<ConfigMap>& f) {
               f.delete_ = [](const Deleted<ConfigMap>& e, const Queue& q) {
                 AddGood(e.object, q);
               };
             })},
        Case{.name = "FuncsGeneric",
             .of_the_channel = 1,
             .handler = Funcs([](handler::Funcs<ConfigMap>& f) {
               f.generic = [](const GenericEvent<ConfigMap>& e, const Queue& q) {
                 AddGood(*e.object, q);
               };
             })},
        Case{.name = "MapFunc",
             .of_the_watch = 3,
             .of_the_channel = 1,
             .handler = handler::EnqueueRequestsFromMapFunc<ConfigMap>(
                 [](const ConfigMap& object) -> std::vector<Request> {
                   if (!Good(object)) return {};
                   return {{"default", std::string(object.metadata().name())}};
                 })},
        Case{.name = "PredicateCreate",
             .of_the_watch = 1,
             .accepts = {.create = [](const Added<ConfigMap>& e) { return Good(e.object); }}},
        Case{.name = "PredicateUpdate",
             .of_the_watch = 1,
             .accepts = {.update = [](const Updated<ConfigMap>& e) { return Good(e.new_object); }}},
        Case{.name = "PredicateDelete",
             .of_the_watch = 1,
             .accepts = {.delete_ = [](const Deleted<ConfigMap>& e) { return Good(e.object); }}},
        Case{.name = "PredicateGeneric",
             .of_the_channel = 1,
             .accepts = {.generic =
                             [](const GenericEvent<ConfigMap>& e) { return Good(*e.object); }}},
        Case{.name = "PredicateFuncs",
             .of_the_watch = 3,
             .of_the_channel = 1,
             .accepts = predicate::NewPredicateFuncs<ConfigMap>(Good)}),
    [](const auto& test) { return test.param.name; });

// Called once, when the source starts.
TEST_F(WatchesTest, AHandlerThatThrowsWhenAskedAboutItselfEndsTheController) {
  ASSERT_TRUE(ControllerBuilder(*manager_)
                  .Named("maps")
                  .Watches<ConfigMap>(Throwing("OnlyEnqueues"))
                  .Complete(Note())
                  .ok());
  manager_.Start();
  sim_.RunFor(seconds(30));
  ASSERT_TRUE(manager_.ended);
  EXPECT_THAT(manager_.result.error().message(), HasSubstr("configmaps"));
  EXPECT_THAT(manager_.result.error().message(), HasSubstr("by the program"));
}

// Each way to pass a reconcile function: it throws at the first call for an object, and is called
// again.
TEST_F(WatchesTest, AFunctionThatReconcilesAndThrowsIsCalledAgain) {
  std::vector<std::string> calls;
  const auto throws_once = [&calls](const std::string& which) {
    calls.push_back(which);
    if (std::count(calls.begin(), calls.end(), which) == 1) {
      throw std::runtime_error("by the program");
    }
    return Result<ReconcileResult>(ReconcileResult{});
  };
  ControllerBuilder(*manager_)
      .Named("complete")
      .For<ConfigMap>()
      .Complete([&](const ReconcileContext&, const Request&) { return throws_once("Complete"); })
      .OrExit();
  ASSERT_TRUE(
      ControllerBuilder(*manager_)
          .Named("build")
          .For<ConfigMap>()
          .Build([&](const ReconcileContext&, const Request&) { return throws_once("Build"); })
          .ok());
  ControllerBuilder(*manager_)
      .Named("object")
      .For<ConfigMap>()
      .Complete(AsReconciler<ConfigMap>(manager_->GetClient(),
                                        [&](const ReconcileContext&, const Ref<ConfigMap>&) {
                                          return throws_once("AsReconciler");
                                        }))
      .OrExit();
  manager_.Start();
  sim_.RunFor(seconds(5));
  server_
      .Create(kConfigMaps, json::Parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":)"
                                       R"({"name":"a","namespace":"default"}})")
                               .OrExit())
      .OrExit();
  sim_.RunFor(seconds(30));
  for (const char* which : {"Complete", "Build", "AsReconciler"}) {
    EXPECT_GE(std::count(calls.begin(), calls.end(), which), 2) << which;
  }
  EXPECT_FALSE(manager_.ended);
}

}  // namespace
}  // namespace kinformer::testing
