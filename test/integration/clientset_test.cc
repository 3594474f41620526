// Typed clients of a Clientset against the embedded API server: verbs of objects and of their
// parts, blocking and awaited.

#include "kinformer/client/clientset.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <type_traits>
#include <utility>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/authenticationv1_mutable.h"
#include "kinformer/api/autoscalingv1_mutable.h"
#include "kinformer/api/certificatesv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/policyv1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/async_typed_client.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/pod_logs.h"
#include "kinformer/client/rest_request.h"
#include "kinformer/clientset/appsv1.h"
#include "kinformer/clientset/authenticationv1.h"
#include "kinformer/clientset/certificatesv1.h"
#include "kinformer/clientset/corev1.h"
#include "kinformer/clientset/policyv1.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;

appsv1::Deployment::Mutable Web() {
  appsv1::Deployment::Mutable web;
  web.metadata.name = "web";
  web.spec.replicas = 1;
  web.spec.selector.emplace().matchLabels["app"] = "web";
  web.spec.template_.metadata.labels["app"] = "web";
  web.spec.template_.spec.containers.push_back({.name = "c", .image = "i"});
  return web;
}

corev1::Pod::Mutable APod(const std::string& name) {
  corev1::Pod::Mutable pod;
  pod.metadata.name = name;
  pod.spec.containers.push_back({.name = "c", .image = "i"});
  return pod;
}

// Read a field of an object that a call returned; an error is a finding, and an empty value.
template <class T, class Read>
auto In(const Result<Ref<T>>& object, Read read) {
  using Value = std::decay_t<decltype(read(**object))>;
  EXPECT_TRUE(object.ok()) << object.error();
  return object.ok() ? Value(read(**object)) : Value();
}
template <class T>
std::string Label(const Result<Ref<T>>& object, const std::string& name) {
  return In(object, [&](T one) { return std::string(one.metadata().labels()[name]); });
}
std::string Phase(const Result<Ref<corev1::Pod>>& pod) {
  return In(pod, [](corev1::Pod one) { return std::string(one.status().phase()); });
}
std::string Node(const Result<Ref<corev1::Pod>>& pod) {
  return In(pod, [](corev1::Pod one) { return std::string(one.spec().nodeName()); });
}
int Replicas(const Result<Ref<autoscalingv1::Scale>>& scale) {
  return In(scale, [](autoscalingv1::Scale one) { return one.spec().replicas(); });
}
int Replicas(const Result<Ref<appsv1::Deployment>>& web) {
  return In(web, [](appsv1::Deployment one) { return one.spec().replicas().value_or(-1); });
}

// A kind is enough to name its client.
static_assert(std::is_same_v<TypedClient<corev1::Pod>, corev1::PodInterface>);
static_assert(std::is_same_v<AsyncTypedClient<corev1::Pod>,
                             decltype(AsyncTypedClient(std::declval<corev1::PodInterface>()))>);

class ClientsetTest : public ::testing::Test {
 protected:
  void Run(Closure body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), minutes(10))); }
  template <class T>
  Result<T> Await(AsyncCall<T> call) {
    return BlockOn(sim_.env(), std::move(call).AsTask());
  }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  const Clientset clientset_{client_};
};

TEST_F(ClientsetTest, EveryVerbOfAPod_ReachesTheServer) {
  Run([&] {
    const corev1::PodInterface pods = clientset_.CoreV1().Pods("default");
    const Ref<corev1::Pod> made = pods.Create(APod("a")).OrExit();
    EXPECT_EQ(pods.List()->size(), 1U);
    corev1::Pod::Mutable changed = (*made).DeepCopy();
    changed.metadata.labels["app"] = "web";
    const Ref<corev1::Pod> updated = pods.Update(changed).OrExit();
    EXPECT_EQ(updated->metadata().labels()["app"], "web");
    changed = (*updated).DeepCopy();
    changed.status.phase = "Running";
    EXPECT_EQ(Phase(pods.UpdateStatus(changed)), "Running");
    const Patch tier{.body = R"({"metadata":{"labels":{"tier":"front"}}})"};
    EXPECT_EQ(Label(pods.Patch("a", tier), "tier"), "front");
    EXPECT_EQ(Label(pods.Get("a"), "tier"), "front");
    std::string seen;
    const auto on_event = [&](const ResourceWatchEvent<corev1::Pod>& event) {
      seen = event.object->metadata().name();
      return false;
    };
    ASSERT_TRUE(pods.Watch({}, on_event).ok());
    EXPECT_EQ(seen, "a");
    EXPECT_EQ(pods.Namespace("other").namespace_(), "other");
    EXPECT_EQ(clientset_.CoreV1().Pods("").List()->size(), 1U) << "of all namespaces";
    ASSERT_TRUE(pods.Delete("a").ok());
    EXPECT_TRUE(IsNotFound(pods.Get("a").error()));
    pods.Create(APod("b")).OrExit();
    ASSERT_TRUE(pods.DeleteCollection().ok());
    EXPECT_TRUE(pods.List()->empty());
  });
}

TEST_F(ClientsetTest, AppliedObject_IsCreatedAndChanged) {
  Run([&] {
    const auto deployments = clientset_.AppsV1().Deployments("default");
    EXPECT_EQ(deployments.Apply(Web(), {}).error().reason(), Reason::kInvalidArgument)
        << "somebody must own the fields";
    const ApplyOptions me{.fieldManager = "me", .force = true};
    EXPECT_EQ(Replicas(deployments.Apply(Web(), me)), 1);
    appsv1::Deployment::Mutable more;
    more.metadata.name = "web";
    more.metadata.labels["tier"] = "front";
    EXPECT_EQ(Label(deployments.Apply(more, me), "tier"), "front");
    more.status.observedGeneration = 7;
    EXPECT_EQ(In(deployments.ApplyStatus(more, me),
                 [](appsv1::Deployment one) { return one.status().observedGeneration(); }),
              7);
    more.metadata.name.clear();
    EXPECT_EQ(deployments.Apply(more, me).error().reason(), Reason::kInvalidArgument)
        << "without a name";
  });
}

TEST_F(ClientsetTest, AScaleIsRead_Updated_AndApplied) {
  Run([&] {
    const auto deployments = clientset_.AppsV1().Deployments("default");
    deployments.Create(Web()).OrExit();
    const Ref<autoscalingv1::Scale> read = deployments.GetScale("web").OrExit();
    autoscalingv1::Scale::Mutable scale = (*read).DeepCopy();
    EXPECT_EQ(scale.spec.replicas, 1);
    scale.spec.replicas = 3;
    EXPECT_EQ(Replicas(deployments.UpdateScale("web", scale)), 3);
    EXPECT_EQ(Replicas(deployments.Get("web")), 3);
    const ApplyOptions me{.fieldManager = "me", .force = true};
    autoscalingv1::Scale::Mutable nameless;
    nameless.spec.replicas = 5;
    EXPECT_EQ(Replicas(deployments.ApplyScale("web", nameless, me)), 5);
    EXPECT_EQ(Replicas(deployments.Get("web")), 5);
    EXPECT_TRUE(IsNotFound(deployments.GetScale("none").error()));

    const AsyncTypedClient awaited(deployments);
    EXPECT_EQ(Replicas(Await(awaited.GetScale("web"))), 5);
    nameless.spec.replicas = 6;
    EXPECT_EQ(Replicas(Await(awaited.UpdateScale("web", nameless))), 6);
    nameless.spec.replicas = 7;
    EXPECT_EQ(Replicas(Await(awaited.ApplyScale("web", nameless, me))), 7);
  });
}

TEST_F(ClientsetTest, APodIsBoundAndEvicted) {
  Run([&] {
    const auto pods = clientset_.CoreV1().Pods("default");
    const AsyncTypedClient awaited(pods);
    const policyv1::EvictionInterface evictions = clientset_.PolicyV1().Evictions("default");
    corev1::Binding::Mutable binding;
    binding.target.kind = "Node";
    policyv1::Eviction::Mutable eviction;
    for (const std::string name : {"a", "b", "c"}) {
      pods.Create(APod(name)).OrExit();
      binding.metadata.name = name;
      binding.target.name = "node-" + name;
      const bool blocks = name == "a";
      const auto bound = blocks ? pods.Bind(binding) : Await(awaited.Bind(binding));
      ASSERT_TRUE(bound.ok()) << bound.error();
      EXPECT_EQ(Node(pods.Get(name)), "node-" + name);
      eviction.metadata.name = name;
      const auto evicted = blocks        ? pods.EvictV1(eviction)
                           : name == "b" ? Await(awaited.EvictV1(eviction))
                                         : evictions.Evict(eviction);
      ASSERT_TRUE(evicted.ok()) << evicted.error();
      EXPECT_TRUE(IsNotFound(pods.Get(name).error()));
    }
    EXPECT_TRUE(IsNotFound(pods.EvictV1(eviction).error()));
    EXPECT_EQ(pods.EvictV1(policyv1::Eviction::Mutable()).error().reason(),
              Reason::kInvalidArgument)
        << "it names no pod";
  });
}

TEST_F(ClientsetTest, AServiceAccountGetsATokenThatTheServerKnows) {
  Run([&] {
    const auto accounts = clientset_.CoreV1().ServiceAccounts("default");
    corev1::ServiceAccount::Mutable account;
    account.metadata.name = "robot";
    accounts.Create(account).OrExit();
    const authenticationv1::TokenRequest::Mutable wanted;
    const AsyncTypedClient awaited(accounts);
    for (const auto& token :
         {accounts.CreateToken("robot", wanted), Await(awaited.CreateToken("robot", wanted))}) {
      ASSERT_TRUE(token.ok()) << token.error();
      authenticationv1::TokenReview::Mutable question;
      question.spec.token = (*token)->status().token();
      const auto review = clientset_.AuthenticationV1().TokenReviews().Create(question);
      ASSERT_TRUE(review.ok()) << review.error();
      EXPECT_EQ((*review)->status().user().username(), "system:serviceaccount:default:robot");
    }
  });
}

TEST_F(ClientsetTest, EphemeralContainersAndResourcesOfAPodAreChanged) {
  Run([&] {
    const auto pods = clientset_.CoreV1().Pods("default");
    const AsyncTypedClient awaited(pods);
    corev1::Pod::Mutable pod = APod("a");
    pod.spec.containers[0].resources.requests["cpu"] = resource::Quantity::Parse("50m").OrExit();
    Ref<corev1::Pod> read = pods.Create(pod).OrExit();
    pod = (*read).DeepCopy();
    corev1::EphemeralContainer::Mutable shell;
    shell.name = "shell";
    shell.image = "busybox";
    pod.spec.ephemeralContainers.push_back(shell);
    read = pods.UpdateEphemeralContainers("a", pod).OrExit();
    EXPECT_EQ(read->spec().ephemeralContainers().size(), 1U);
    pod = (*read).DeepCopy();
    shell.name = "other";
    pod.spec.ephemeralContainers.push_back(shell);
    read = Await(awaited.UpdateEphemeralContainers("a", pod)).OrExit();
    EXPECT_EQ(read->spec().ephemeralContainers().size(), 2U);

    const auto cpu = [](corev1::Pod one) {
      return std::string(one.spec().containers()[0].resources().requests()["cpu"].ToString());
    };
    for (const std::string amount : {"100m", "200m"}) {
      pod = (*read).DeepCopy();
      pod.spec.containers[0].resources.requests["cpu"] = resource::Quantity::Parse(amount).OrExit();
      const auto resized =
          amount == "100m" ? pods.UpdateResize("a", pod) : Await(awaited.UpdateResize("a", pod));
      EXPECT_EQ(In(resized, cpu), amount);
      read = *resized;
    }
  });
}

TEST_F(ClientsetTest, ASigningRequestIsApproved) {
  Run([&] {
    const auto requests = clientset_.CertificatesV1().CertificateSigningRequests();
    certificatesv1::CertificateSigningRequest::Mutable wanted;
    wanted.metadata.name = "me";
    wanted.spec.request = "a request";
    wanted.spec.signerName = "example.com/signer";
    wanted.spec.usages = {"client auth"};
    Ref<certificatesv1::CertificateSigningRequest> read = requests.Create(wanted).OrExit();
    certificatesv1::CertificateSigningRequest::Mutable decided = (*read).DeepCopy();
    decided.status.conditions.push_back({.type = "Approved", .status = "True", .reason = "Known"});
    read = requests.UpdateApproval("me", decided).OrExit();
    EXPECT_EQ(read->status().conditions().size(), 1U);
    decided = (*read).DeepCopy();
    EXPECT_TRUE(Await(AsyncTypedClient(requests).UpdateApproval("me", decided)).ok());
    wanted.metadata.name = "none";
    EXPECT_TRUE(IsNotFound(requests.UpdateApproval("none", wanted).error()));
  });
}

TEST_F(ClientsetTest, ANamespaceIsFinalized) {
  Run([&] {
    const auto namespaces = clientset_.CoreV1().Namespaces();
    corev1::Namespace::Mutable shop;
    shop.metadata.name = "shop";
    Ref<corev1::Namespace> read = namespaces.Create(shop).OrExit();
    shop = (*read).DeepCopy();
    shop.spec.finalizers = {"kubernetes", "example.com/keep"};
    read = namespaces.Finalize(shop).OrExit();
    EXPECT_EQ(read->spec().finalizers().size(), 2U);
    shop = (*read).DeepCopy();
    shop.spec.finalizers = {"kubernetes"};
    read = Await(AsyncTypedClient(namespaces).Finalize(shop)).OrExit();
    EXPECT_EQ(read->spec().finalizers().size(), 1U);
  });
}

TEST_F(ClientsetTest, AwaitedClient_HasTheVerbsOfItsResource) {
  Run([&] {
    const AsyncTypedClient pods(clientset_.CoreV1().Pods("default"));
    const corev1::Pod::Mutable pod = APod("a");
    ASSERT_TRUE(Await(pods.Create(pod)).ok());
    EXPECT_EQ(Await(pods.List())->size(), 1U);
    EXPECT_EQ(Await(pods.Namespace("other").List())->size(), 0U);
    corev1::Pod::Mutable wanted;
    wanted.metadata.name = "a";
    wanted.metadata.labels["app"] = "web";
    const ApplyOptions me{.fieldManager = "me"};
    EXPECT_EQ(Label(Await(pods.Apply(wanted, me)), "app"), "web");
    wanted.status.phase = "Running";
    EXPECT_EQ(Phase(Await(pods.ApplyStatus(wanted, me))), "Running");
    ASSERT_TRUE(Await(pods.Delete("a")).ok());
    const auto takes = [](const AsyncResourceClient<corev1::Pod>& any) { return any.namespace_(); };
    EXPECT_EQ(takes(pods), "default");
  });
}

// Streams are tested elsewhere: here counts what is asked for.
TEST_F(ClientsetTest, RequestsForLogsAndProxies_HaveGosPaths) {
  const auto pods = clientset_.CoreV1().Pods("shop");
  EXPECT_EQ(pods.GetLogs("web-0").URL().OrExit(), "/api/v1/namespaces/shop/pods/web-0/log");
  EXPECT_EQ(pods.GetLogs("web-0", {.container = "c", .tailLines = 5}).URL().OrExit(),
            "/api/v1/namespaces/shop/pods/web-0/log?container=c&tailLines=5");
  EXPECT_EQ(AsyncTypedClient(pods).GetLogs("web-0").URL().OrExit(),
            "/api/v1/namespaces/shop/pods/web-0/log");
  const auto services = clientset_.CoreV1().Services("shop");
  struct Row {
    std::string scheme, port, path, url;
  };
  for (const Row& row :
       {Row{"", "", "", "web"}, Row{"", "80", "", "web:80"},
        Row{"https", "web", "/metrics", "https:web:web"}, Row{"https", "", "", "https:web:"}}) {
    const std::string url =
        services.ProxyGet(row.scheme, "web", row.port, row.path, {{"v", "1"}}).URL().OrExit();
    EXPECT_EQ(url, "/api/v1/namespaces/shop/services/" + row.url + "/proxy" + row.path + "?v=1");
    EXPECT_EQ(AsyncTypedClient(services)
                  .ProxyGet(row.scheme, "web", row.port, row.path, {{"v", "1"}})
                  .URL()
                  .OrExit(),
              url);
  }
  EXPECT_EQ(clientset_.AppsV1().RESTClient().Get().Resource("deployments").URL().OrExit(),
            "/apis/apps/v1/deployments");
}

TEST_F(ClientsetTest, ATypedClientIsGivenWhereAResourceClientIsWanted) {
  const auto takes = [](const ResourceClient<corev1::Node>& nodes) { return nodes.namespace_(); };
  EXPECT_EQ(takes(clientset_.CoreV1().Nodes()), "");
  Run([&] {
    EXPECT_TRUE(clientset_.Discovery().ServerVersion().ok());
    EXPECT_EQ(clientset_.client().Describe(), client_.Describe());
  });
}

}  // namespace
}  // namespace kinformer::testing
