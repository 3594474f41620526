// Subresources through a DelegatingClient against the embedded API server, and the common behaviour
// of all writes of a client.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/authenticationv1_mutable.h"
#include "kinformer/api/autoscalingv1_mutable.h"
#include "kinformer/api/policyv1_mutable.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/transport.h"
#include "kinformer/client/transport_wrapper.h"

#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Deployment = appsv1::Deployment;
using Scale = autoscalingv1::Scale;

const RestMapping kDeployments{{"apps", "v1", "deployments"}, {"apps", "v1", "Deployment"}, true};

class SubResourceClients : public DelegatingClientTest {
 protected:
  static Deployment::Mutable Web() {
    Deployment::Mutable web;
    web.metadata.namespace_ = "default";
    web.metadata.name = "web";
    web.metadata.labels["app"] = "web";
    web.spec.replicas = 1;
    web.spec.selector.emplace().matchLabels["app"] = "web";
    web.spec.template_.metadata.labels["app"] = "web";
    web.spec.template_.spec.containers.push_back({.name = "c", .image = "i"});
    return web;
  }
  static Pod::Mutable APod(const std::string& name) {
    Pod::Mutable pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = name;
    pod.spec.containers.push_back({.name = "c", .image = "i"});
    return pod;
  }
  [[nodiscard]] int Replicas() const {
    const auto web = cached_.Get<Deployment>(Named("web")).OrExit();
    return web->spec().replicas().value_or(-1);
  }
};

TEST_F(SubResourceClients, AScaleIsReadAndWritten) {
  Run([&] {
    Lag("deployments");
    ASSERT_TRUE(cached_.List<Deployment>().ok());
    ASSERT_TRUE(cached_.Create(Web()).ok());
    const auto scales = cached_.SubResource("scale");
    const auto scale = scales.Get<Deployment, Scale>(Named("web")).OrExit();
    EXPECT_EQ(scale->spec().replicas(), 1);
    EXPECT_EQ(scale->metadata().name(), "web");

    Scale::Mutable more = (*scale).DeepCopy();
    more.spec.replicas = 4;
    const auto updated = scales.Update<Deployment>(Named("web"), more).OrExit();
    EXPECT_EQ(updated->spec().replicas(), 4);
    EXPECT_EQ(Replicas(), 4) << "a read waits for it";
    EXPECT_EQ(scales.Update<Deployment>(Named("web"), more).error().reason(), Reason::kConflict)
        << "of an older version";

    Scale::Mutable nameless;
    nameless.spec.replicas = 5;
    ASSERT_TRUE(scales.Update<Deployment>(Named("web"), nameless).ok());
    EXPECT_EQ(Replicas(), 5);
    nameless.spec.replicas = 6;
    const auto applied =
        scales.Apply<Deployment>(Named("web"), nameless, {.fieldManager = "me", .force = true});
    ASSERT_TRUE(applied.ok()) << applied.error();
    EXPECT_EQ(Replicas(), 6);
    EXPECT_EQ((scales.Get<Deployment, Scale>(Named("none")).error().reason()), Reason::kNotFound);
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

// The cache lags behind each write.
TEST_F(SubResourceClients, AGetAndAListShowEachKindOfWrite) {
  bool by_list = false;
  const auto shown = [&] {
    if (!by_list) return cached_.Get<Deployment>(Named("web"));
    const auto all = cached_.List<Deployment>().OrExit();
    return all.empty() ? Result<Ref<Deployment>>(Error(Reason::kNotFound, "an empty list"))
                       : Result<Ref<Deployment>>(all.front());
  };
  const auto see = [&](const char* what, const auto& written) {
    ASSERT_TRUE(written.ok()) << what << ": " << written.error();
    const auto read = shown();
    ASSERT_TRUE(read.ok()) << what << ": " << read.error();
    EXPECT_EQ((*read)->metadata().resourceVersion(), (*written)->metadata().resourceVersion())
        << what << (by_list ? ", in a list" : "");
  };
  Run([&] {
    Lag("deployments");
    ASSERT_TRUE(cached_.List<Deployment>().ok());
    for (;; by_list = true) {
      Deployment::Mutable web = Web();
      see("create", cached_.Create(web));
      web.spec.replicas = 2;
      see("update", cached_.Update(web));
      see("patch", cached_.Patch<Deployment>(Named("web"), {.body = R"({"spec":{"replicas":3}})"}));
      Deployment::Mutable applied;
      applied.metadata.namespace_ = "default";
      applied.metadata.name = "web";
      applied.metadata.labels["applied"] = "true";
      see("apply", cached_.Apply(applied, {.fieldManager = "me"}));
      web = Web();
      web.status.replicas = 5;
      see("status update", cached_.UpdateStatus(web));
      see("status patch", cached_.Status().Patch<Deployment>(
                              Named("web"), {.body = R"({"status":{"replicas":6}})"}));
      Deployment::Mutable status;
      status.metadata.namespace_ = "default";
      status.metadata.name = "web";
      status.status.replicas = 7;
      see("status apply", cached_.Status().Apply(status, {.fieldManager = "me", .force = true}));
      Scale::Mutable scale;
      scale.spec.replicas = 8;
      see("scale update", cached_.SubResource("scale").Update<Deployment>(Named("web"), scale));
      ASSERT_TRUE(cached_.Delete<Deployment>(Named("web")).ok());
      EXPECT_EQ(shown().error().reason(), Reason::kNotFound) << by_list;
      if (by_list) break;
    }
  });
}

TEST_F(SubResourceClients, AScaleOfAKindThatIsKnownAtRunTimeOnly) {
  Run([&] {
    ASSERT_TRUE(cached_.Create(Web()).ok());
    const auto scales = cached_.SubResource("scale");
    const GroupVersionKind kind{"autoscaling", "v1", "Scale"};
    const auto scale = scales.Get(kDeployments, Named("web"), kind).OrExit();
    EXPECT_EQ(scale->root()["spec"]["replicas"].AsInt64(), 1);
    EXPECT_EQ(scale->GroupVersionKindOf(), kind);
    json::Value more = (*scale).DeepCopy();
    more.Ensure("spec").Set("replicas", 3);
    const auto updated = scales.Update(kDeployments, Named("web"), more).OrExit();
    EXPECT_EQ(updated->root()["spec"]["replicas"].AsInt64(), 3);
    const auto patched =
        scales.Patch(kDeployments, Named("web"), {.body = R"({"spec":{"replicas":7}})"});
    ASSERT_TRUE(patched.ok()) << patched.error();
    EXPECT_EQ(Replicas(), 7);
  });
}

// A Scale does not have the labels that the cache selects by.
TEST_F(SubResourceClients, AScaleIsWaitedForByACacheThatSelects) {
  Run([&] {
    Lag("deployments");
    Use({.label_selector = LabelSelector::Parse("app=web").OrExit()});
    ASSERT_TRUE(cached_.List<Deployment>().ok());
    ASSERT_TRUE(cached_.Create(Web()).ok());
    ASSERT_EQ(Replicas(), 1);
    const auto scales = cached_.SubResource("scale");
    ASSERT_TRUE(
        scales.Patch<Deployment>(Named("web"), {.body = R"({"spec":{"replicas":7}})"}).ok());
    EXPECT_EQ(Replicas(), 7);
    Scale::Mutable scale;
    scale.spec.replicas = 8;
    ASSERT_TRUE(scales.Update<Deployment>(Named("web"), scale).ok());
    EXPECT_EQ(Replicas(), 8);
  });
}

TEST_F(SubResourceClients, PodsAreBoundAndEvicted) {
  Run([&] {
    Lag("pods");
    ASSERT_TRUE(cached_.List<Pod>().ok());
    corev1::Node::Mutable node;
    node.metadata.name = "n1";
    ASSERT_TRUE(cached_.Create(node).ok());
    ASSERT_TRUE(cached_.Create(APod("p")).ok());
    corev1::Binding::Mutable binding;
    binding.target.name = "n1";
    const auto bound = cached_.SubResource("binding").Create<Pod>(Named("p"), binding);
    ASSERT_TRUE(bound.ok()) << bound.error();
    EXPECT_FALSE(*bound) << "the server says no more than that it is done";
    const auto placed = cached_.Get<Pod>(Named("p")).OrExit();
    EXPECT_EQ(placed->spec().nodeName(), "n1");

    policyv1::Eviction::Mutable eviction;
    eviction.deleteOptions.emplace().gracePeriodSeconds = 0;
    const auto evictions = cached_.SubResource("eviction");
    ASSERT_TRUE(evictions.Create<Pod>(Named("p"), eviction, {.dryRun = {"All"}}).ok());
    EXPECT_TRUE(cached_.Get<Pod>(Named("p")).ok());
    const auto evicted = evictions.Create<Pod>(Named("p"), eviction);
    ASSERT_TRUE(evicted.ok()) << evicted.error();
    EXPECT_EQ(cached_.Get<Pod>(Named("p")).error().reason(), Reason::kNotFound);
    EXPECT_EQ(evictions.Create<Pod>(Named("p"), eviction).error().reason(), Reason::kNotFound);
    EXPECT_EQ(evictions.Create<Pod>({"", "p"}, eviction).error().reason(),
              Reason::kInvalidArgument);
  });
}

// Evictions, bindings and scales are answered without the object's version. If the object cannot be
// read either, later reads must not return stale data as current.
TEST_F(SubResourceClients, AWriteWhoseVersionIsNotKnownIsSettledByALaterRead) {
  Run([&] {
    for (const char* name : {"p", "q"}) {
      ASSERT_TRUE(client_.For<Pod>("default").Create(APod(name)).ok());
    }
    Lag("pods", std::chrono::seconds(60));
    ASSERT_EQ(cached_.List<Pod>().OrExit().size(), 2U);
    policyv1::Eviction::Mutable eviction;
    eviction.deleteOptions.emplace().gracePeriodSeconds = 0;
    server_.faults().Add({.verb = "get", .action = apiserver::FaultAction::kRefuse});
    ASSERT_TRUE(cached_.SubResource("eviction").Create<Pod>(Named("p"), eviction).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 1U);
    ASSERT_TRUE(InCache<Pod>(Named("p")).ok()) << "the watch lags";
    EXPECT_TRUE(cached_.Get<Pod>(Named("q")).ok()) << "it is about another one";
    const auto stale = cached_.Get<Pod>(Named("p"));
    ASSERT_FALSE(stale.ok());
    EXPECT_EQ(stale.error().reason(), Reason::kStale);
    EXPECT_THAT(stale.error().message(), HasSubstr("pods \"default/p\""));
    EXPECT_EQ(cached_.List<Pod>({.namespace_ = "default"}).error().reason(), Reason::kStale);
    EXPECT_TRUE(cached_.List<Pod>({.namespace_ = "kube-system"}).ok());
    ASSERT_TRUE(InCache<Pod>(Named("p")).ok());
    // The server answers again, and the cache must show the version that it has.
    server_.faults().Clear();
    EXPECT_EQ(cached_.Get<Pod>(Named("p")).error().reason(), Reason::kStale);
    EXPECT_EQ(cached_.UnseenWrites(), 1U);
    sim_.env().SleepFor(std::chrono::seconds(60));
    EXPECT_EQ(cached_.Get<Pod>(Named("p")).error().reason(), Reason::kNotFound);
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_EQ(cached_.List<Pod>().OrExit().size(), 1U);
  });
}

TEST_F(SubResourceClients, AWriteThatUsesUpTheCallersTimeIsSettledByALaterRead) {
  Run([&] {
    Lag("pods");
    ASSERT_TRUE(cached_.List<Pod>().ok());
    ASSERT_TRUE(cached_.Create(APod("p")).ok());
    ASSERT_TRUE(cached_.Get<Pod>(Named("p")).ok());
    policyv1::Eviction::Mutable eviction;
    eviction.deleteOptions.emplace().gracePeriodSeconds = 0;
    server_.faults().Add({.verb = "create",
                          .action = apiserver::FaultAction::kDelay,
                          .delay = std::chrono::milliseconds(700)});
    server_.faults().Add({.verb = "get",
                          .action = apiserver::FaultAction::kDelay,
                          .delay = std::chrono::milliseconds(700)});
    EXPECT_EQ(TimeOf([&] {
                ASSERT_TRUE(
                    cached_.SubResource("eviction")
                        .Create<Pod>(Named("p"), eviction, {}, {.timeout = std::chrono::seconds(1)})
                        .ok());
              }),
              std::chrono::seconds(1))
        << "the whole call, with what is asked afterwards";
    EXPECT_EQ(cached_.UnseenWrites(), 1U);
    EXPECT_EQ(cached_.Get<Pod>(Named("p")).error().reason(), Reason::kNotFound);
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

// Users who may evict pods may not be allowed to get them.
TEST_F(SubResourceClients, GetForbidden_EvictionIsNotAwaited) {
  Run([&] {
    Lag("pods");
    ASSERT_TRUE(cached_.List<Pod>().ok());
    ASSERT_TRUE(cached_.Create(APod("p")).ok());
    ASSERT_TRUE(cached_.Get<Pod>(Named("p")).ok());
    policyv1::Eviction::Mutable eviction;
    server_.faults().Add(
        {.verb = "get", .action = apiserver::FaultAction::kRespond, .status = 403});
    ASSERT_TRUE(cached_.SubResource("eviction").Create<Pod>(Named("p"), eviction).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_TRUE(cached_.Get<Pod>(Named("p")).ok());
  });
}

TEST_F(SubResourceClients, AServiceAccountGetsAToken) {
  Run([&] {
    corev1::ServiceAccount::Mutable account;
    account.metadata.namespace_ = "default";
    account.metadata.name = "robot";
    ASSERT_TRUE(cached_.List<corev1::ServiceAccount>().ok());
    ASSERT_TRUE(cached_.Create(account).ok());
    authenticationv1::TokenRequest::Mutable wanted;
    wanted.spec.audiences = {"printer"};
    const auto tokens = cached_.SubResource("token");
    const auto token = tokens.Create<corev1::ServiceAccount>(Named("robot"), wanted).OrExit();
    EXPECT_THAT(std::string(token->status().token()), Not(IsEmpty()));
    EXPECT_TRUE(cached_.Get<corev1::ServiceAccount>(Named("robot")).ok());
  });
}

TEST_F(SubResourceClients, NothingIsWrittenByAClientOfDryRuns) {
  Run([&] {
    ASSERT_TRUE(cached_.Create(Web()).ok());
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    Use({}, {.field_owner = "painter", .dry_run = true});
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
    EXPECT_EQ(cached_.Create(Map("a")).error().reason(), Reason::kAlreadyExists) << "it is checked";
    EXPECT_EQ(ColorOf(cached_.Create(Map("b"))), "blue") << "and answered";
    EXPECT_EQ(cached_.List<ConfigMap>().OrExit().size(), 1U);
    EXPECT_EQ(ColorOf(cached_.Update(Map("a", "red"))), "red");
    EXPECT_EQ(ColorOf(cached_.Update(Map("a", "red"), {.dryRun = {"All"}})), "red")
        << "which the call may say, too";
    EXPECT_EQ(cached_.Update(Map("c")).error().reason(), Reason::kNotFound);
    EXPECT_EQ(ColorOf(cached_.Patch<ConfigMap>(Named("a"), {.body = R"({"data":{"color":"x"}})"})),
              "x");
    EXPECT_TRUE(cached_.Apply(Map("a", "green"), {.force = true}).ok());
    Deployment::Mutable web = Web();
    web.status.replicas = 3;
    EXPECT_TRUE(cached_.UpdateStatus(web).ok());
    EXPECT_TRUE(cached_.Status()
                    .Patch<Deployment>(Named("web"), {.body = R"({"status":{"replicas":3}})"})
                    .ok());
    EXPECT_TRUE(cached_.Status().Apply(web, {.force = true}).ok());
    Scale::Mutable scale;
    scale.spec.replicas = 9;
    EXPECT_TRUE(cached_.SubResource("scale").Update<Deployment>(Named("web"), scale).ok());
    EXPECT_TRUE(cached_.Delete<ConfigMap>(Named("a")).ok());
    EXPECT_TRUE(cached_.DeleteAllOf<ConfigMap>({.namespace_ = "default"}).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_EQ(ColorOf(cached_.APIReader<ConfigMap>().Get("default", "a")), "blue");
    EXPECT_EQ(ColorOf(cached_.APIReader<ConfigMap>().Get("default", "b")), "NotFound");
    const auto now = cached_.APIReader<Deployment>().Get("default", "web").OrExit();
    EXPECT_EQ(now->status().replicas(), 0);
    EXPECT_EQ(now->spec().replicas(), 1);
  });
}

TEST_F(SubResourceClients, UnknownFieldsAreRefusedWhereTheClientIsStrict) {
  const RestMapping maps{{"", "v1", "configmaps"}, {"", "v1", "ConfigMap"}, true};
  const json::Value misspelt = json::Parse(R"({"apiVersion":"v1","kind":"ConfigMap",
      "metadata":{"namespace":"default","name":"a"},"dota":{"color":"red"}})")
                                   .OrExit();
  const kinformer::Patch patch{.body = R"({"dota":{"color":"red"}})"};
  Run([&] {
    ASSERT_TRUE(cached_.Create(maps, misspelt).ok());
    Use({}, {.field_validation = "Strict"});
    EXPECT_EQ(cached_.Create(maps, misspelt).error().reason(), Reason::kBadRequest);
    const Error refused = cached_.Update(maps, misspelt).error();
    EXPECT_EQ(refused.reason(), Reason::kBadRequest);
    EXPECT_THAT(refused.message(), HasSubstr("dota"));
    EXPECT_EQ(cached_.Patch(maps, Named("a"), patch).error().http_status(), 422);
    EXPECT_TRUE(cached_.Update(maps, misspelt, {.fieldValidation = "Ignore"}).ok())
        << "what a call says goes before";
    EXPECT_TRUE(cached_.Patch(maps, Named("a"), patch, {.fieldValidation = "Ignore"}).ok());
  });
}

// Forwards requests and records them.
class NotingTransport final : public ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    asked_.push_back(request.method + " " + request.target);
    return inner().Start(std::move(request), receiver);
  }
  [[nodiscard]] const std::string& last() const { return asked_.back(); }

 private:
  std::vector<std::string> asked_{};
};

// Calls `check` with the name of each kind of write after it was made. `own`: the writes have their
// own options.
template <class F>
void EachWrite(const DelegatingClient& client, bool own, F check) {
  const auto with = [own]<class O>(O options) {
    if (!own) return options;
    options.fieldManager = "other";
    if constexpr (requires { options.fieldValidation; }) options.fieldValidation = "Ignore";
    return options;
  };
  const auto checked = [&check](const char* what, const auto& result) {
    ASSERT_TRUE(result.ok()) << what << ": " << result.error();
    check(what);
  };
  const ObjectName web{"default", "web"};
  const kinformer::Patch patch{.body = R"({"metadata":{"labels":{"a":"b"}}})"};
  Deployment::Mutable object;
  object.metadata.namespace_ = web.namespace_;
  object.metadata.name = web.name;
  Scale::Mutable scale;
  scale.spec.replicas = 2;
  authenticationv1::TokenRequest::Mutable token;
  token.spec.audiences = {"printer"};
  corev1::ConfigMap::Mutable map;
  map.metadata.namespace_ = "default";
  map.metadata.name = own ? "own" : "plain";
  const auto part = client.SubResource("scale");
  checked("create", client.Create(map, with(CreateOptions{})));
  checked("update", client.Update(map, with(UpdateOptions{})));
  checked("patch", client.Patch<Deployment>(web, patch, with(PatchOptions{})));
  checked("apply", client.Apply(object, with(ApplyOptions{.force = true})));
  checked("status update", client.UpdateStatus(object, with(UpdateOptions{})));
  checked("status patch", client.Status().Patch<Deployment>(web, patch, with(PatchOptions{})));
  checked("status apply", client.Status().Apply(object, with(ApplyOptions{.force = true})));
  checked("part create", client.SubResource("token").Create<corev1::ServiceAccount>(
                             {"default", "robot"}, token, with(CreateOptions{})));
  checked("part update", part.Update<Deployment>(web, scale, with(UpdateOptions{})));
  checked("part patch", part.Patch<Deployment>(web, {.body = R"({"spec":{"replicas":3}})"},
                                               with(PatchOptions{})));
  checked("part apply", part.Apply<Deployment>(web, scale, with(ApplyOptions{.force = true})));
}

TEST_F(SubResourceClients, Writes_SendOptionsOfCallOrClient) {
  const auto noting = std::make_shared<NotingTransport>(server_.transport());
  const Client noted = Client::ForTransport(sim_.env(), noting, {.qps = -1});
  Run([&] {
    corev1::ServiceAccount::Mutable robot;
    robot.metadata.namespace_ = "default";
    robot.metadata.name = "robot";
    ASSERT_TRUE(cached_.Create(robot).ok());
    ASSERT_TRUE(cached_.Create(Web()).ok());
    const DelegatingClient painter(noted, factory_,
                                   {.field_owner = "painter", .field_validation = "Warn"});
    std::size_t writes = 0;
    EachWrite(painter, false, [&](const char* what) {
      ++writes;
      EXPECT_THAT(noting->last(), HasSubstr("fieldManager=painter")) << what;
      EXPECT_THAT(noting->last(), HasSubstr("fieldValidation=Warn")) << what;
    });
    EXPECT_EQ(writes, 11U);
    EachWrite(painter, true, [&](const std::string& what) {
      ++writes;
      EXPECT_THAT(noting->last(), HasSubstr("fieldManager=other")) << what;
      const bool applied = what.ends_with("apply");  // apply has no such option
      EXPECT_THAT(noting->last(),
                  HasSubstr(applied ? "fieldValidation=Warn" : "fieldValidation=Ignore"))
          << what;
    });
    EXPECT_EQ(writes, 22U);
  });
}

TEST_F(SubResourceClients, WritesHaveTheFieldOwnerOfTheirClientUnlessTheySayAnother) {
  const auto noting = std::make_shared<NotingTransport>(server_.transport());
  const Client noted = Client::ForTransport(sim_.env(), noting, {.qps = -1});
  const kinformer::Patch patch{.body = R"({"data":{"color":"x"}})"};
  Scale::Mutable scale;
  const auto owner = [&] {
    const std::string& asked = noting->last();
    const std::size_t at = asked.find("fieldManager=");
    return at == std::string::npos ? std::string() : asked.substr(at + 13, asked.find('&', at));
  };
  Run([&] {
    ASSERT_TRUE(cached_.Create(Web()).ok());
    const DelegatingClient painter(noted, factory_, {.field_owner = "painter"});
    ASSERT_TRUE(painter.Create(Map("a")).ok());
    EXPECT_EQ(owner(), "painter");
    ASSERT_TRUE(painter.Update(Map("a")).ok());
    EXPECT_EQ(owner(), "painter");
    ASSERT_TRUE(painter.Patch<ConfigMap>(Named("a"), patch).ok());
    EXPECT_EQ(owner(), "painter");
    ASSERT_TRUE(painter.Apply(Map("a")).ok());
    EXPECT_THAT(noting->last(), HasSubstr("fieldManager=painter"));
    ASSERT_TRUE(painter.UpdateStatus(Web()).ok());
    EXPECT_EQ(owner(), "painter");
    ASSERT_TRUE(painter.SubResource("scale").Update<Deployment>(Named("web"), scale).ok());
    EXPECT_EQ(owner(), "painter");
    ASSERT_TRUE(painter.Update(Map("a"), {.fieldManager = "other"}).ok());
    EXPECT_EQ(owner(), "other");
    ASSERT_TRUE(painter.Patch<ConfigMap>(Named("a"), patch, {.fieldManager = "other"}).ok());
    EXPECT_EQ(owner(), "other");
    const DelegatingClient nobody(noted, factory_);
    ASSERT_TRUE(nobody.Update(Map("a")).ok());
    EXPECT_EQ(owner(), "");
  });
}

}  // namespace
}  // namespace kinformer::testing
