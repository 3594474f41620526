// Outcomes of a DelegatingClient's calls: errors, reads without a cache, dry runs, and writes whose
// version is not known.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/api/policyv1_mutable.h"
#include "kinformer/client/discovery.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/json/json.h"

#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class DelegatingClientOutcomes : public DelegatingClientTest {
 protected:
  void MakePods(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      Pod::Mutable pod;
      pod.metadata.namespace_ = "default";
      pod.metadata.name = name;
      pod.spec.containers.push_back({.name = "c", .image = "i"});
      ASSERT_TRUE(client_.For<Pod>("default").Create(pod).ok());
    }
  }
  // Its answer has no resourceVersion, so the client must read the pod, which `answer` hinders.
  void EvictUnread(const std::string& name, const apiserver::FaultRule& answer) {
    policyv1::Eviction::Mutable eviction;
    eviction.deleteOptions.emplace().gracePeriodSeconds = 0;
    server_.faults().Add(answer);
    ASSERT_TRUE(cached_.SubResource("eviction").Create<Pod>(Named(name), eviction).ok());
  }
  static apiserver::FaultRule Refused() { return {.verb = "get", .action = FaultAction::kRefuse}; }
  static std::string Unknown(const std::string& name, const std::string& why) {
    return "this client wrote to pods \"default/" + name +
           "\", the answer had no resourceVersion, and what the server has now could not be "
           "read: " +
           why;
  }
};

TEST_F(DelegatingClientOutcomes, MissingInformer_HasNoIndexEither) {
  const auto color = [](ConfigMap map, auto& out) { out.Add(map.data()["color"]); };
  Run([&] {
    Use({}, {.reader_fail_on_missing_informer = true});
    const std::string missing =
        "configmaps are not cached: nobody has asked for their informer, and "
        "reader_fail_on_missing_informer is set; ask the factory for it, or read through APIReader";
    const Error index = cached_.IndexField<ConfigMap>("color", color).error();
    EXPECT_EQ(index.reason(), Reason::kInvalidArgument);
    EXPECT_EQ(index.message(), missing);
    EXPECT_EQ(cached_.Get<ConfigMap>(Named("a")).error().message(), missing);
    EXPECT_EQ(cached_.List<ConfigMap>().error().message(), missing);
    EXPECT_EQ(factory_->core().Find(ConfigMap::kind_info(), false), nullptr);
    const Error live = cached_
                           .IndexField(kMaps, "color",
                                       [](Unstructured map, auto& out) {
                                         out.Add(map.root()["data"]["color"].StringOrEmpty());
                                       })
                           .error();
    EXPECT_EQ(live.reason(), Reason::kInvalidArgument);
    EXPECT_EQ(live.message(), "configmaps are read from the server: there is no informer");
    factory_->InformerFor<ConfigMap>();
    EXPECT_TRUE(cached_.IndexField<ConfigMap>("color", color).ok());
  });
}

TEST_F(DelegatingClientOutcomes, UnstructuredReads_AskTheServerEachTime) {
  Run([&] {
    MakeFour();
    Lag("configmaps");
    const auto names = [&] {
      std::vector<std::string> found;
      const auto maps = cached_.List(kMaps, {.namespace_ = "default"}).OrExit();
      for (const auto& map : maps) {
        found.emplace_back(map->metadata().name());
      }
      return found;
    };
    EXPECT_THAT(names(), ElementsAre("a", "b"));
    EXPECT_EQ(cached_.Get(kMaps, Named("new")).error().reason(), Reason::kNotFound);
    Make("default", "new", "web");
    EXPECT_TRUE(cached_.Get(kMaps, Named("new")).ok());
    EXPECT_THAT(names(), ElementsAre("a", "b", "new"));
    EXPECT_EQ(factory_->core().InformersOf(kMaps.dynamic_type()).size(), 0U);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("new"))), "blue");
    EXPECT_EQ(factory_->core().InformersOf(kMaps.dynamic_type()).size(), 1U);
  });
}

TEST_F(DelegatingClientOutcomes, DryRuns_AreNeverReadBack) {
  for (const bool of_client : {false, true}) {
    Run([&] {
      Use({}, {.dry_run = of_client});
      ASSERT_TRUE(cached_.List<ConfigMap>().ok());
      server_.faults().Add(Refused());
      const auto options = [&](auto given) {
        if (!of_client) given.dryRun = {"All"};
        return given;
      };
      EXPECT_TRUE(cached_.Create(Map("x"), options(CreateOptions())).ok());
      server_.faults().Clear();
      Make("default", "a", "web");
      sim_.env().SleepFor(seconds(1));
      server_.faults().Add(Refused());
      EXPECT_TRUE(cached_.Update(Map("a", "red"), options(UpdateOptions())).ok());
      EXPECT_TRUE(cached_
                      .Patch<ConfigMap>(Named("a"), {.body = R"({"data":{"color":"x"}})"},
                                        options(PatchOptions()))
                      .ok());
      EXPECT_TRUE(cached_.Delete<ConfigMap>(Named("a"), options(DeleteOptions())).ok());
      EXPECT_TRUE(
          cached_.DeleteAllOf<ConfigMap>({.namespace_ = "default"}, options(DeleteOptions())).ok());
      EXPECT_EQ(cached_.UnseenWrites(), 0U);
      EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
      EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("x"))), "NotFound");
      EXPECT_EQ(log_->text(), "");
      server_.faults().Clear();
      ASSERT_TRUE(client_.For<ConfigMap>("default").Delete("a").ok());
    });
  }
}

TEST_F(DelegatingClientOutcomes, DeleteAllOf_TakesNoLimit) {
  Run([&] {
    MakeFour();
    const Error limited =
        cached_.DeleteAllOf<ConfigMap>({.namespace_ = "default", .limit = 1}).error();
    EXPECT_EQ(limited.reason(), Reason::kInvalidArgument);
    EXPECT_EQ(limited.message(), "a deletion of many has no limit: it is of all that match");
    const Error nowhere = cached_.DeleteAllOf<ConfigMap>({}).error();
    EXPECT_EQ(nowhere.reason(), Reason::kInvalidArgument);
    EXPECT_THAT(nowhere.message(), HasSubstr("ReadOptions::namespace_"));
    EXPECT_EQ(NamesOf(cached_.List<ConfigMap>()).size(), 4U);
    EXPECT_TRUE(cached_.DeleteAllOf<ConfigMap>({.namespace_ = "default", .limit = 0}).ok());
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("c", "d"));
    server_.faults().Add({.verb = "deletecollection", .status = 403});
    EXPECT_EQ(cached_.DeleteAllOf<ConfigMap>({.namespace_ = "kube-system"}).error().reason(),
              Reason::kForbidden);
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

TEST_F(DelegatingClientOutcomes, FailedWrites_AreNotAwaited) {
  Run([&] {
    MakeFour();
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    Lag("configmaps", hours(1));
    server_.faults().Add({.verb = "create", .status = 422});
    server_.faults().Add({.verb = "update", .status = 409});
    server_.faults().Add({.verb = "delete", .status = 403});
    EXPECT_EQ(cached_.Create(Map("new")).error().reason(), Reason::kInvalid);
    EXPECT_EQ(cached_.Update(Map("a", "red")).error().reason(), Reason::kConflict);
    EXPECT_EQ(cached_.Delete<ConfigMap>(Named("a")).error().reason(), Reason::kForbidden);
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_EQ(TimeOf([&] { EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue"); }),
              Duration(0));
  });
}

// Reads say why they cannot wait for a write whose version the server did not tell.
TEST_F(DelegatingClientOutcomes, UnknownVersion_EachReadReadsTheObjectFirst) {
  Run([&] {
    MakePods({"p", "q"});
    Lag("pods");
    ASSERT_TRUE(cached_.List<Pod>().ok());
    EvictUnread("p", Refused());
    EXPECT_EQ(cached_.UnseenWrites(), 1U);
    const auto get = [&](const CallOptions& call = {}) {
      const auto pod = cached_.Get<Pod>(Named("p"), call);
      return pod.ok() ? Error(Reason::kUnknown, "there") : pod.error();
    };
    const Error stale = get();
    EXPECT_EQ(stale.reason(), Reason::kStale);
    EXPECT_THAT(stale.message(), StartsWith(Unknown("p", "")));
    EXPECT_THAT(stale.message(), EndsWith("; try again later"));
    EXPECT_EQ(cached_.List<Pod>().error().message(), stale.message());
    // A read that waits for the server ends with its caller.
    server_.faults().Clear();
    server_.faults().Add({.verb = "get", .action = FaultAction::kDelay, .delay = hours(1)});
    EXPECT_EQ(TimeOf([&] { EXPECT_EQ(get({.timeout = seconds(2)}).reason(), Reason::kStale); }),
              seconds(2));
    EXPECT_EQ(TimeOf([&] { EXPECT_EQ(get().reason(), Reason::kStale); }), seconds(5));
    std::stop_source stop;
    const Timer timer =
        sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&stop] { stop.request_stop(); });
    EXPECT_EQ(TimeOf([&] {
                const Error canceled = get({.stop = stop.get_token()});
                EXPECT_EQ(canceled.reason(), Reason::kCanceled);
                EXPECT_THAT(canceled.message(), StartsWith(Unknown("p", "Canceled: ")));
              }),
              seconds(1));
    bool done = false;
    sim_.env().loop().Post([&] {
      EXPECT_EQ(get().reason(), Reason::kWouldDeadlock);
      EXPECT_TRUE(cached_.Get<Pod>(Named("q")).ok()) << "it is about another one";
      done = true;
    });
    while (!done) sim_.env().SleepFor(milliseconds(1));
    EXPECT_EQ(cached_.UnseenWrites(), 1U);
    // Without an answer that may come later, nobody waits any longer.
    server_.faults().Clear();
    server_.faults().Add({.verb = "get", .status = 403});
    EXPECT_NE(get().reason(), Reason::kStale);
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_EQ(log_->Count("an object cannot be read: reads do not wait for what was written to it "
                          "object=pods \"default/p\" err=Forbidden: "),
              1U)
        << log_->text();
  });
}

TEST_F(DelegatingClientOutcomes, UnknownVersions_AreReadOneAfterTheOther) {
  Run([&] {
    MakePods({"p", "q", "r"});
    ASSERT_TRUE(cached_.List<Pod>().ok());
    for (const char* name : {"p", "q", "r"}) EvictUnread(name, Refused());
    EXPECT_EQ(cached_.UnseenWrites(), 3U);
    server_.faults().Clear();
    server_.faults().Add({.verb = "get", .count = 1, .status = 403});
    EXPECT_THAT(cached_.List<Pod>().OrExit(), IsEmpty()) << "the others are read, too";
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_EQ(log_->Count("an object cannot be read"), 1U) << log_->text();
  });
}

TEST_F(DelegatingClientOutcomes, ForbiddenReadBack_IsLoggedAndNotAwaited) {
  Run([&] {
    MakePods({"p"});
    ASSERT_TRUE(cached_.List<Pod>().ok());
    EvictUnread("p", {.verb = "get", .status = 403});
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_EQ(log_->Count("a write was answered without a resourceVersion, and the object cannot "
                          "be read: reads do not wait for this write object=pods \"default/p\" "
                          "err=Forbidden: "),
              1U)
        << log_->text();
    log_->lines.clear();
    // A client whose reads never wait does not read at all.
    MakePods({"s"});
    Use({}, {.read_your_writes_timeout = Duration(0)});
    ASSERT_TRUE(cached_.List<Pod>().ok());
    EvictUnread("s", Refused());
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_EQ(log_->text(), "");
  });
}

}  // namespace
}  // namespace kinformer::testing
