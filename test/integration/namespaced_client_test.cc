// A DelegatingClient limited to one namespace, against the embedded API server: it must write and
// read there only.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/autoscalingv1_mutable.h"
#include "kinformer/client/discovery.h"

#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Deployment = appsv1::Deployment;
using Node = corev1::Node;
using Scale = autoscalingv1::Scale;

const RestMapping kMaps{{"", "v1", "configmaps"}, {"", "v1", "ConfigMap"}, true};
const RestMapping kNodes{{"", "v1", "nodes"}, {"", "v1", "Node"}, false};
const RestMapping kDeployments{{"apps", "v1", "deployments"}, {"apps", "v1", "Deployment"}, true};
constexpr char kHome[] = "kube-public";
constexpr char kAway[] = "kube-system";

class NamespacedClient : public DelegatingClientTest {
 protected:
  static ConfigMap::Mutable Without(const std::string& name, const std::string& color = "blue") {
    return Map(name, color, "");
  }
  static Deployment::Mutable Web(const std::string& namespace_ = "") {
    Deployment::Mutable web;
    web.metadata.namespace_ = namespace_;
    web.metadata.name = "web";
    web.spec.replicas = 1;
    web.spec.selector.emplace().matchLabels["app"] = "web";
    web.spec.template_.metadata.labels["app"] = "web";
    web.spec.template_.spec.containers.push_back({.name = "c", .image = "i"});
    return web;
  }
  static json::Value Dynamic(const std::string& name, const std::string& namespace_ = "") {
    const std::string where = namespace_.empty() ? "" : R"("namespace":")" + namespace_ + R"(",)";
    return json::Parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{)" + where +
                       R"("name":")" + name + R"("},"data":{"color":"blue"}})")
        .OrExit();
  }
  static Node::Mutable ANode() {
    Node::Mutable node;
    node.metadata.name = "n1";
    return node;
  }
  DelegatingClient Bound() { return cached_.WithNamespace(kHome); }
  // Returns the object's color on the server, read with another client.
  std::string OnServer(const std::string& namespace_, const std::string& name) {
    return ColorOf(client_.For<ConfigMap>(namespace_).Get(name));
  }
  static void IsElsewhere(const Error& error) {
    EXPECT_EQ(error.reason(), Reason::kInvalidArgument) << error;
    EXPECT_THAT(error.message(), AllOf(HasSubstr(kHome), HasSubstr(kAway)));
  }
};

TEST_F(NamespacedClient, ObjectsWithoutNamespace_AreWrittenToTheBoundOne) {
  Run([&] {
    const DelegatingClient bound = Bound();
    const auto created = bound.Create(Without("a")).OrExit();
    EXPECT_EQ(created->metadata().namespace_(), kHome);
    EXPECT_EQ(ColorOf(bound.Create(Map("b", "blue", kHome))), "blue") << "it may say so";
    EXPECT_EQ(ColorOf(bound.Update(Without("a", "red"))), "red");
    EXPECT_EQ(OnServer(kHome, "a"), "red");
    EXPECT_EQ(ColorOf(bound.Patch<ConfigMap>({"", "a"}, {.body = R"({"data":{"color":"x"}})"})),
              "x");
    EXPECT_EQ(ColorOf(bound.Apply(Without("c", "green"), {.fieldManager = "me"})), "green");
    EXPECT_EQ(OnServer(kHome, "c"), "green");
    EXPECT_EQ(ColorOf(bound.Apply(Without("a", "green"), {.fieldManager = "me", .force = true})),
              "green");
    ASSERT_TRUE(bound.Create(kMaps, Dynamic("d")).ok());
    ASSERT_TRUE(bound.Update(kMaps, Dynamic("d")).ok());
    EXPECT_EQ(OnServer(kHome, "d"), "blue");
    ASSERT_TRUE(bound.Patch(kMaps, {"", "d"}, {.body = R"({"data":{"color":"y"}})"}).ok());
    EXPECT_EQ(OnServer(kHome, "d"), "y");
    ASSERT_TRUE(bound.Delete(kMaps, {"", "d"}).ok());
    EXPECT_EQ(OnServer(kHome, "d"), "NotFound");
    ASSERT_TRUE(bound.Delete<ConfigMap>({"", "a"}).ok());
    EXPECT_EQ(OnServer(kHome, "a"), "NotFound");
  });
}

TEST_F(NamespacedClient, AnotherNamespaceIsAnError) {
  Run([&] {
    const DelegatingClient bound = Bound();
    ASSERT_TRUE(cached_.Create(Map("a", "blue", kAway)).ok());
    ASSERT_TRUE(cached_.Create(Web(kAway)).ok());
    const Error created = bound.Create(Map("b", "blue", kAway)).error();
    IsElsewhere(created);
    EXPECT_THAT(created.message(), HasSubstr("configmaps"));
    IsElsewhere(bound.Update(Map("a", "red", kAway)).error());
    IsElsewhere(bound.UpdateStatus(Web(kAway)).error());
    IsElsewhere(bound.Apply(Map("b", "red", kAway), {.fieldManager = "me"}).error());
    IsElsewhere(bound.Patch<ConfigMap>({kAway, "a"}, {.body = R"({"data":null})"}).error());
    IsElsewhere(bound.Delete<ConfigMap>({kAway, "a"}).error());
    IsElsewhere(bound.DeleteAllOf<ConfigMap>({.namespace_ = kAway}).error());
    IsElsewhere(bound.Get<ConfigMap>({kAway, "a"}).error());
    IsElsewhere(bound.GetMetadata<ConfigMap>({kAway, "a"}).error());
    IsElsewhere(bound.List<ConfigMap>({.namespace_ = kAway}).error());
    IsElsewhere(bound.ListMetadata<ConfigMap>({.namespace_ = kAway}).error());
    IsElsewhere(bound.Get(kMaps, {kAway, "a"}).error());
    IsElsewhere(bound.List(kMaps, {.namespace_ = kAway}).error());
    IsElsewhere(bound.Create(kMaps, Dynamic("b", kAway)).error());
    IsElsewhere(bound.Delete(kMaps, {kAway, "a"}).error());
    IsElsewhere(bound.APIReader<ConfigMap>().Get(kAway, "a").error());
    IsElsewhere(bound.APIReader<ConfigMap>().List(kAway).error());
    EXPECT_EQ(OnServer(kAway, "a"), "blue");
    EXPECT_EQ(OnServer(kAway, "b"), "NotFound");
    // Objects with the same name in another namespace are not visible.
    EXPECT_EQ(ColorOf(bound.Update(Without("a", "red"))), "NotFound");
    EXPECT_EQ(ColorOf(bound.Get<ConfigMap>({"", "a"})), "NotFound");
  });
}

TEST_F(NamespacedClient, ReadsAndListsAreOfItsNamespace) {
  Run([&] {
    const DelegatingClient bound = Bound();
    ASSERT_TRUE(cached_.Create(Map("a", "blue", kHome)).ok());
    ASSERT_TRUE(cached_.Create(Map("b", "blue", kAway)).ok());
    EXPECT_EQ(ColorOf(bound.Get<ConfigMap>({"", "a"})), "blue");
    EXPECT_EQ(ColorOf(bound.Get<ConfigMap>({kHome, "a"})), "blue");
    EXPECT_THAT(NamesOf(bound.List<ConfigMap>()), ElementsAre("a"));
    EXPECT_THAT(NamesOf(bound.List<ConfigMap>({.namespace_ = kHome})), ElementsAre("a"));
    EXPECT_TRUE(bound.GetMetadata<ConfigMap>({"", "a"}).ok());
    EXPECT_THAT(bound.ListMetadata<ConfigMap>().OrExit(), SizeIs(1));
    EXPECT_TRUE(bound.Get(kMaps, {"", "a"}).ok());
    EXPECT_THAT(bound.List(kMaps).OrExit(), SizeIs(1));
    EXPECT_EQ(ColorOf(bound.APIReader<ConfigMap>().Get("", "a")), "blue");
    EXPECT_THAT(NamesOf(bound.APIReader<ConfigMap>().List()), ElementsAre("a"));
    // The original client, and a client for another namespace.
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("a", "b"));
    EXPECT_THAT(NamesOf(bound.WithNamespace(kAway).List<ConfigMap>()), ElementsAre("b"));
    EXPECT_THAT(NamesOf(bound.WithNamespace("").List<ConfigMap>()), ElementsAre("a", "b"));
    EXPECT_EQ(ColorOf(bound.WithDeadline(sim_.env().Now() + std::chrono::seconds(9))
                          .Get<ConfigMap>({"", "a"})),
              "blue")
        << "what bounds a client adds up";
  });
}

TEST_F(NamespacedClient, ManyAreDeletedThereOnly) {
  Run([&] {
    for (const char* ns : {kHome, kAway}) ASSERT_TRUE(cached_.Create(Map("a", "blue", ns)).ok());
    ASSERT_TRUE(Bound().DeleteAllOf<ConfigMap>({}).ok());
    EXPECT_EQ(OnServer(kHome, "a"), "NotFound");
    EXPECT_EQ(OnServer(kAway, "a"), "blue");
    ASSERT_TRUE(cached_.Create(Map("a", "blue", kHome)).ok());
    ASSERT_TRUE(Bound().DeleteAllOf(kMaps, {}).ok());
    EXPECT_EQ(OnServer(kHome, "a"), "NotFound");
    EXPECT_EQ(OnServer(kAway, "a"), "blue");
  });
}

TEST_F(NamespacedClient, ClusterScopedKinds_AreUnaffected) {
  Run([&] {
    const DelegatingClient bound = Bound();
    ASSERT_TRUE(bound.Create(ANode()).ok());
    Node::Mutable node = ANode();
    node.spec.providerID = "p1";
    ASSERT_TRUE(bound.Update(node).ok());
    const Ref<Node> updated = bound.Get<Node>({"", "n1"}).OrExit();
    EXPECT_EQ(updated->spec().providerID(), "p1");
    EXPECT_THAT(bound.List<Node>().OrExit(), SizeIs(1));
    ASSERT_TRUE(
        bound.Patch<Node>({"", "n1"}, {.body = R"({"metadata":{"labels":{"x":"y"}}})"}).ok());
    ASSERT_TRUE(bound.Apply(ANode(), {.fieldManager = "me"}).ok());
    EXPECT_TRUE(bound.Get(kNodes, {"", "n1"}).ok());
    EXPECT_TRUE(bound.APIReader<Node>().Get("", "n1").ok());
    EXPECT_TRUE(bound.UpdateStatus(ANode()).ok());
    ASSERT_TRUE(bound.Delete<Node>({"", "n1"}).ok());
    EXPECT_THAT(bound.List<Node>().OrExit(), IsEmpty());
  });
}

TEST_F(NamespacedClient, Subresources_UseTheBoundNamespace) {
  const kinformer::Patch status{.body = R"({"status":{"replicas":2}})"};
  Run([&] {
    const DelegatingClient bound = Bound();
    ASSERT_TRUE(bound.Create(Web()).ok());
    ASSERT_TRUE(cached_.Create(Web(kAway)).ok());
    const auto replicas = [&] {
      const Ref<Deployment> now = bound.Get<Deployment>({"", "web"}).OrExit();
      return now->status().replicas();
    };
    Deployment::Mutable web = Web();
    web.status.replicas = 1;
    ASSERT_TRUE(bound.UpdateStatus(web).ok());
    EXPECT_EQ(replicas(), 1);
    ASSERT_TRUE(bound.Status().Patch<Deployment>({"", "web"}, status).ok());
    EXPECT_EQ(replicas(), 2);
    Deployment::Mutable applied;
    applied.metadata.name = "web";
    applied.status.replicas = 3;
    ASSERT_TRUE(bound.Status().Apply(applied, {.fieldManager = "me", .force = true}).ok());
    EXPECT_EQ(replicas(), 3);

    const auto scales = bound.SubResource("scale");
    const auto scale = scales.Get<Deployment, Scale>({"", "web"}).OrExit();
    EXPECT_EQ(scale->metadata().namespace_(), kHome);
    Scale::Mutable more;
    more.spec.replicas = 5;
    ASSERT_TRUE(scales.Update<Deployment>({"", "web"}, more).ok());
    more.spec.replicas = 6;
    ASSERT_TRUE(
        scales.Apply<Deployment>({"", "web"}, more, {.fieldManager = "me", .force = true}).ok());
    const GroupVersionKind kind{"autoscaling", "v1", "Scale"};
    const auto now = scales.Get(kDeployments, {"", "web"}, kind).OrExit();
    EXPECT_EQ(now->root()["spec"]["replicas"].AsInt64(), 6);
    json::Value dynamic = json::Parse(R"({"apiVersion":"autoscaling/v1","kind":"Scale",
                                          "spec":{"replicas":7}})")
                              .OrExit();
    ASSERT_TRUE(scales.Update(kDeployments, {"", "web"}, dynamic).ok());
    const Ref<Deployment> scaled = bound.Get<Deployment>({"", "web"}).OrExit();
    EXPECT_EQ(scaled->spec().replicas(), 7);

    const ObjectName away{kAway, "web"};
    IsElsewhere(bound.Status().Update(Web(kAway)).error());
    IsElsewhere(bound.Status().Patch<Deployment>(away, status).error());
    IsElsewhere(bound.Status().Apply(Web(kAway), {.fieldManager = "me"}).error());
    IsElsewhere(scales.Get<Deployment, Scale>(away).error());
    IsElsewhere(scales.Update<Deployment>(away, more).error());
    IsElsewhere(scales.Apply<Deployment>(away, more, {.fieldManager = "me"}).error());
    IsElsewhere(scales.Get(kDeployments, away, kind).error());
    const Ref<Deployment> other = cached_.Get<Deployment>(away).OrExit();
    EXPECT_EQ(other->status().replicas(), 0);
  });
}

// It shares options, caches and own writes with the client it was made from.
TEST_F(NamespacedClient, BoundClient_SharesCachesAndWritesOfItsOrigin) {
  Run([&] {
    Lag("configmaps");
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    ASSERT_TRUE(Bound().Create(Without("a")).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>({kHome, "a"})), "NotFound") << "the watch lags";
    EXPECT_EQ(ColorOf(Bound().Get<ConfigMap>({"", "a"})), "blue");
    ASSERT_TRUE(Bound().Update(Without("a", "red")).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>({kHome, "a"})), "blue");
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>({kHome, "a"})), "red") << "whoever of them reads";
    ASSERT_TRUE(Bound().Delete<ConfigMap>({"", "a"}).ok());
    EXPECT_THAT(NamesOf(Bound().List<ConfigMap>()), IsEmpty());
    ASSERT_TRUE(Bound().Create(Without("b")).ok());
    ASSERT_TRUE(Bound().DeleteAllOf<ConfigMap>({}).ok());
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), IsEmpty());
    Use({}, {.dry_run = true});
    EXPECT_EQ(ColorOf(Bound().Create(Without("c"))), "blue");
    EXPECT_EQ(OnServer(kHome, "c"), "NotFound");
  });
}

}  // namespace
}  // namespace kinformer::testing
