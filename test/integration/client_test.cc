// The client over TLS against the embedded API server: sources of its configuration, the verbs, the
// errors.

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/clientcmd.h"
#include "kinformer/client/config.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/rest_mapper.h"
#include "kinformer/client/transport_wrapper.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/json/json.h"
#include "kinformer/object/custom_resource.h"

#include "config/kubeconfig.h"
#include "integration/embedded_server.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using apiserver::FaultAction;
using corev1::ConfigMap;
using corev1::Pod;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ClientOverTls : public ::testing::Test {
 protected:
  static Client NewClient(const EmbeddedServer& server) {
    return Client::NewForConfig(server.ClientConfig(), {.qps = -1}).OrExit();
  }
  void Fault(apiserver::FaultRule rule) {
    server_.With([&](apiserver::ApiServer& api) { api.faults().Add(std::move(rule)); });
  }

  EmbeddedServer server_;
  const Client client_ = NewClient(server_);
};

// A folder that is removed after the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("kinformer-client-test-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  const std::filesystem::path path_;
};

ConfigMap::Mutable NewConfigMap(const std::string& name) {
  ConfigMap::Mutable object;
  object.metadata.name = name;
  object.data["k"] = "v";
  return object;
}

// ---- Sources of the configuration

TEST_F(ClientOverTls, BuildConfigFromFlagsReadsAKubeconfig) {
  const Folder folder;
  const std::string path =
      folder.Write("kubeconfig", KubeconfigYaml(server_.ClientConfig(), "embedded"));
  const Config config = clientcmd::BuildConfigFromFlags("", path).OrExit();
  const Client client = Client::NewForConfig(config).OrExit();
  EXPECT_TRUE(client.For<ConfigMap>("default").List().ok());

  // The first argument replaces the server of the file.
  const Config elsewhere = clientcmd::BuildConfigFromFlags("https://127.0.0.1:1", path).OrExit();
  const auto refused = Client::NewForConfig(elsewhere).OrExit().For<ConfigMap>("default").List();
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(IsConnectionRefused(refused.error())) << refused.error();
  EXPECT_THAT(refused.error().message(), HasSubstr("https://127.0.0.1:1"));

  const auto missing = clientcmd::BuildConfigFromFlags("", folder.path() + "/nowhere");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message(), HasSubstr(folder.path() + "/nowhere"));
}

TEST_F(ClientOverTls, InClusterConfigGetsInAndFollowsItsToken) {
  const Folder folder;
  folder.Write("token", "old-token");
  folder.Write("ca.crt", server_.ca_pem());
  folder.Write("namespace", "default");
  internal::config::Surroundings pod;
  pod.service_account_dir = folder.path();
  pod.environment = {{"KUBERNETES_SERVICE_HOST", "127.0.0.1"},
                     {"KUBERNETES_SERVICE_PORT", std::to_string(server_.port())}};
  const Config config = internal::config::InClusterConfig({}, pod).OrExit();
  const Client client = Client::NewForConfig(config).OrExit();
  const auto maps = client.For<ConfigMap>(config.namespace_);
  const auto refused = maps.List();
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(IsUnauthorized(refused.error())) << refused.error();
  // After a 401 the file is read again.
  folder.Write("token", EmbeddedServerOptions().bearer_token);
  const auto listed = maps.List();
  EXPECT_TRUE(listed.ok()) << listed.error();
}

// ---- Wrappers of the transport

class Authorizes final : public ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    request.headers.Add("Authorization", "Bearer " + EmbeddedServerOptions().bearer_token);
    return inner().Start(std::move(request), receiver);
  }
};

TEST_F(ClientOverTls, AWrapperOfTheConfigSeesEachRequest_TR20) {
  Config config = server_.ClientConfig();
  config.bearer_token = "wrong";
  const auto refused = Client::NewForConfig(config).OrExit().For<ConfigMap>("default").List();
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(IsUnauthorized(refused.error())) << refused.error();

  config.Wrap([](const auto& inner) { return std::make_shared<Authorizes>(inner); });
  const Client client = Client::NewForConfig(config).OrExit();
  EXPECT_EQ(client.Describe(), client_.Describe());
  const auto listed = client.For<ConfigMap>("default").List();
  EXPECT_TRUE(listed.ok()) << listed.error();
  EXPECT_GE(client.Stats().requests, 1U);

  // Requests of an Env of the program are wrapped, too.
  Runtime runtime;
  const auto also =
      Client::NewForConfig(runtime.env(), config).OrExit().For<ConfigMap>("default").List();
  EXPECT_TRUE(also.ok()) << also.error();
}

TEST_F(ClientOverTls, AWrapperThatFailsFailsTheClient) {
  Config config = server_.ClientConfig();
  config.Wrap([](const auto& /*inner*/) -> std::shared_ptr<Transport> { throw 1; });
  const Result<Client> client = Client::NewForConfig(config);
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().reason(), Reason::kConfig);
  EXPECT_THAT(client.error().message(), HasSubstr("Config::wrap_transport[0]"));
}

// ---- The verbs

TEST_F(ClientOverTls, TypedVerbs) {
  const auto maps = client_.For<ConfigMap>("default");
  const Ref<ConfigMap> created = maps.Create(NewConfigMap("a")).OrExit();
  EXPECT_EQ(created->metadata().namespace_(), "default");
  EXPECT_FALSE(created->metadata().uid().empty());
  EXPECT_TRUE(IsAlreadyExists(maps.Create(NewConfigMap("a")).error()));

  ConfigMap::Mutable wanted = (*created).DeepCopy();
  wanted.data["k"] = "w";
  const Ref<ConfigMap> updated = maps.Update(wanted).OrExit();
  EXPECT_NE(updated->metadata().resourceVersion(), created->metadata().resourceVersion());
  const auto stale = maps.Update(wanted);
  ASSERT_FALSE(stale.ok());
  EXPECT_TRUE(IsConflict(stale.error())) << stale.error();
  EXPECT_THAT(stale.error().message(), HasSubstr("configmaps \"a\""));

  const Ref<ConfigMap> merged =
      maps.Patch("a", {PatchType::kMergePatch, R"({"data":{"k":null,"l":"1"}})"}).OrExit();
  EXPECT_EQ(merged->data().size(), 1U);
  const Ref<ConfigMap> patched =
      maps.Patch("a", {PatchType::kJsonPatch, R"([{"op":"add","path":"/data/m","value":"2"}])"})
          .OrExit();
  EXPECT_EQ(patched->data().size(), 2U);
  const Ref<ConfigMap> got = maps.Get("a").OrExit();
  EXPECT_EQ(got->metadata().resourceVersion(), patched->metadata().resourceVersion());

  // A dry run changes nothing.
  EXPECT_TRUE(maps.Create(NewConfigMap("dry"), {.dryRun = {"All"}}).ok());
  EXPECT_TRUE(IsNotFound(maps.Get("dry").error()));

  const auto kept = maps.Delete("a", {.uid = "another"});
  ASSERT_FALSE(kept.ok());
  EXPECT_TRUE(IsConflict(kept.error())) << kept.error();
  EXPECT_TRUE(maps.Delete("a").ok());
  const auto gone = maps.Get("a");
  ASSERT_FALSE(gone.ok());
  EXPECT_TRUE(IsNotFound(gone.error()));
  EXPECT_THAT(gone.error().message(), HasSubstr("configmaps \"a\" not found"));
}

TEST_F(ClientOverTls, StatusIsASubresource) {
  const auto pods = client_.For<Pod>("default");
  Pod::Mutable pod;
  pod.metadata.name = "p";
  pod.spec.containers.emplace_back().name = "c";
  pod.spec.containers.back().image = "example.com/c:1";
  const Ref<Pod> created = pods.Create(pod).OrExit();
  Pod::Mutable running = (*created).DeepCopy();
  running.status.phase = "Running";
  const Ref<Pod> updated = pods.UpdateStatus(running).OrExit();
  EXPECT_EQ(updated->status().phase(), "Running");
  const Ref<Pod> patched =
      pods.Patch("p", {PatchType::kStrategicMerge, R"({"status":{"podIP":"10.1.2.3"}})"}, {},
                 "status")
          .OrExit();
  EXPECT_EQ(patched->status().podIP(), "10.1.2.3");
  EXPECT_EQ(patched->status().phase(), "Running");
}

TEST_F(ClientOverTls, CollectionsInPagesAndWatched) {
  const auto maps = client_.For<ConfigMap>("default");
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    ConfigMap::Mutable object = NewConfigMap(name);
    object.metadata.labels["half"] = std::string(name) < "c" ? "first" : "second";
    ASSERT_TRUE(maps.Create(object).ok());
  }
  const auto pages = maps.List({.labelSelector = "half", .limit = 2}).OrExit();
  EXPECT_EQ(pages.size(), 5U);
  EXPECT_FALSE(pages.metadata().resourceVersion.empty());
  EXPECT_EQ(maps.List({.labelSelector = "half=first"}).OrExit().size(), 2U);
  EXPECT_EQ(maps.Namespace("").List({.fieldSelector = "metadata.name=c"}).OrExit().size(), 1U);

  ASSERT_TRUE(maps.DeleteCollection({}, {.labelSelector = "half=first"}).ok());
  std::vector<std::string> seen;
  const auto watched =
      maps.Watch({.labelSelector = "half", .resourceVersion = pages.metadata().resourceVersion},
                 [&](const ResourceWatchEvent<ConfigMap>& event) {
                   seen.push_back((event.type == WatchEventType::kDeleted ? "-" : "?") +
                                  std::string(event.object->metadata().name()));
                   return seen.size() < 2;
                 },
                 {.timeout = 20s});
  EXPECT_TRUE(watched.ok()) << watched.error();
  EXPECT_EQ(seen, (std::vector<std::string>{"-a", "-b"}));
}

// ---- Kinds that are unknown to the program

TEST_F(ClientOverTls, DiscoveryAndTheDynamicClient) {
  const DiscoveryClient discovery = client_.Discovery();
  EXPECT_EQ(discovery.ServerVersion().OrExit().substr(0, 2), "v1");
  EXPECT_TRUE(IsNotFound(discovery.MappingFor("gadgets").error()));

  const RestMapping definitions = discovery.MappingFor("crd").OrExit();
  EXPECT_EQ(definitions.resource.resource, "customresourcedefinitions");
  const json::Value definition = json::Parse(R"({
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "gadgets.example.com"},
    "spec": {"group": "example.com", "scope": "Namespaced",
             "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget",
                       "listKind": "GadgetList", "shortNames": ["gd"]},
             "versions": [{"name": "v1", "served": true, "storage": true,
                           "schema": {"openAPIV3Schema": {
                             "type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})")
                                     .OrExit();
  const auto made = client_.Dynamic(definitions).Create(definition);
  ASSERT_TRUE(made.ok()) << made.error();

  // A resource that was not found is looked up again automatically.
  const RestMapping mapping = discovery.MappingFor("gd").OrExit();
  EXPECT_EQ(mapping.kind.kind, "Gadget");
  EXPECT_TRUE(mapping.namespaced);
  const DynamicResourceClient gadgets = client_.Dynamic(mapping, "default");
  const Ref<Unstructured> created =
      gadgets
          .Create(json::Parse(R"({"apiVersion": "example.com/v1", "kind": "Gadget",
                                  "metadata": {"name": "g"}, "spec": {"size": 3}})")
                      .OrExit())
          .OrExit();
  json::Value changed = created->DeepCopy();
  changed.Ensure("spec", "size") = 4;
  const Ref<Unstructured> updated = gadgets.Update(changed).OrExit();
  EXPECT_EQ(updated->root()["spec"]["size"].AsInt64(), 4);
  EXPECT_TRUE(IsConflict(gadgets.Update(changed).error()));
  const Ref<Unstructured> patched =
      gadgets.Patch("g", {PatchType::kMergePatch, R"({"spec":{"size":5}})"}).OrExit();
  EXPECT_EQ(patched->root()["spec"]["size"].AsInt64(), 5);
  std::size_t found = 0;
  for (const Unstructured gadget : gadgets.List().OrExit()) {
    found += gadget.metadata().name() == "g" ? 1 : 0;
  }
  EXPECT_EQ(found, 1U);
  EXPECT_TRUE(gadgets.Delete("g").ok());
  EXPECT_TRUE(IsNotFound(gadgets.Get("g").error()));

  bool served = false;
  for (const ApiGroupVersion& group : discovery.ServerGroupsAndResources().OrExit()) {
    for (const ApiResource& resource : group.resources) {
      served = served || (group.group == "example.com" && resource.kind == "Gadget" &&
                          resource.Supports("watch"));
    }
  }
  EXPECT_TRUE(served);
}

TEST_F(ClientOverTls, TheMapperAndOpenApi_KnowWhatTheServerHas) {
  const DiscoveryClient discovery = client_.Discovery();
  EXPECT_FALSE(discovery.Fresh());
  const RestMapper mapper = discovery.Mapper().OrExit();
  EXPECT_TRUE(discovery.Fresh());
  EXPECT_EQ(mapper.KindFor({"", "", "deploy"}).OrExit(),
            (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(mapper.ResourceFor({"rbac", "", "role"}).OrExit().group, "rbac.authorization.k8s.io");
  const auto all = mapper.Expand("all");
  ASSERT_TRUE(all);
  EXPECT_THAT(*all, ::testing::Contains(GroupResource{"", "pods"}));
  EXPECT_FALSE(ErrGroupDiscoveryFailed(mapper.groups()));

  const auto paths = discovery.OpenAPIV3().OrExit();
  ASSERT_TRUE(paths.contains("apis/apps/v1"));
  EXPECT_NE(paths.at("apis/apps/v1").hash, "");
  const auto schema = discovery.OpenAPIV3Schema("apis/apps/v1").OrExit();
  EXPECT_EQ(json::Parse(*schema).OrExit()["openapi"].StringOrEmpty().substr(0, 2), "3.");
  EXPECT_EQ(discovery.OpenAPIV3Schema("apis/apps/v1").OrExit(), schema) << "kept";
}

struct Gauge {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  struct Spec {
    std::int32_t size = 0;
    std::vector<std::string> names{};
    UnknownFields unknown{};
  };
  Spec spec{};
  UnknownFields unknown{};
};
using Gauges = CustomResource<Gauge>;

TEST_F(ClientOverTls, AStructOfTheProgramsOwn) {
  client_.Dynamic(client_.Discovery().MappingFor("crd").OrExit())
      .Create(json::Parse(R"({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gauges.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced",
                 "names": {"plural": "gauges", "kind": "Gauge", "listKind": "GaugeList"},
                 "versions": [{"name": "v1", "served": true, "storage": true,
                               "schema": {"openAPIV3Schema": {"type": "object",
                                 "x-kubernetes-preserve-unknown-fields": true}}}]}})")
                  .OrExit())
      .OrExit();
  const DynamicResourceClient loose =
      client_.Dynamic(client_.Discovery().MappingFor("gauges").OrExit(), "default");
  const auto create = [&](const char* name, const char* spec) {
    json::Value object = json::Parse(R"({"apiVersion":"example.com/v1","kind":"Gauge"})").OrExit();
    object.Ensure("metadata", "name") = name;
    object.Ensure("spec") = json::Parse(spec).OrExit();
    loose.Create(object).OrExit();
  };
  create("good", R"({"size":3,"names":["a","b"],"newer":{"x":1}})");
  create("bad", R"({"size":"three"})");

  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    SharedInformerFactory factory(client_);
    auto informer = factory.InformerFor<Gauges>({.compression = compression});
    factory.Start();
    factory.WaitForCacheSync({}, {.timeout = 20s}).OrExit();
    EXPECT_EQ(informer.Stats().unreadable, 1U);
    const auto gauges = informer.lister().Namespace("default");
    EXPECT_EQ(gauges.Get("bad").error().reason(), Reason::kUnreadable);
    const Ref<Gauges> good = gauges.Get("good").OrExit();
    EXPECT_THAT(good->value().spec.names, ::testing::ElementsAre("a", "b"));

    Gauges::Mutable change = good->DeepCopy();
    ++change.spec.size;
    const Ref<Gauges> updated = client_.For<Gauges>("default").Update(change).OrExit();
    EXPECT_EQ(updated->value().spec.size, good->value().spec.size + 1);
    EXPECT_EQ(updated->root()["spec"]["newer"]["x"].AsInt64(), 1);
  }
  const auto refused = client_.For<Gauges>("default").Get("bad");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason(), Reason::kDecode);
  EXPECT_THAT(refused.error().message(), HasSubstr("spec.size: expected an integer, got a string"));
}

// A server that accepts protobuf gets JSON if the object has members of a newer release.
TEST_F(ClientOverTls, MembersOfALaterReleaseTravelAsJson) {
  const auto maps = client_.For<ConfigMap>("default");
  const Ref<ConfigMap> made = maps.Create(NewConfigMap("newer")).OrExit();
  json::Value newer = json::Parse(made->ToJson()).OrExit();
  newer.Ensure("added") = true;
  const Ref<ConfigMap> copy(internal::BuildFromJson(ConfigMap::kind_info(), newer.Dump()).OrExit());
  ConfigMap::Mutable change = copy->DeepCopy();
  change.data["k"] = "w";
  const Ref<ConfigMap> updated = maps.Update(change).OrExit();
  EXPECT_EQ(updated->data()["k"], "w");
  change.unknown_fields += "\xfa\x3e\x01x";  // and a field that exists in protobuf only
  EXPECT_EQ(maps.Update(change).error().reason(), Reason::kInvalidArgument);
}

// ---- Errors

TEST_F(ClientOverTls, ErrorsOfTheServerKeepReasonMessageAndCauses) {
  const auto maps = client_.For<ConfigMap>("default");
  server_.AnswerWith([](const HttpRequest& request) -> std::optional<ScriptedResponse> {
    if (request.method != "GET") return std::nullopt;
    return StatusFailure(403, "Forbidden",
                         R"(configmaps is forbidden: User \"jane\" cannot list resource)");
  });
  const auto forbidden = maps.List();
  ASSERT_FALSE(forbidden.ok());
  EXPECT_TRUE(IsForbidden(forbidden.error()));
  EXPECT_EQ(forbidden.error().http_status(), 403);
  EXPECT_THAT(forbidden.error().message(), HasSubstr("User \"jane\" cannot list"));

  ConfigMap::Mutable bad = NewConfigMap("No_Name");
  const auto invalid = maps.Create(bad);
  ASSERT_FALSE(invalid.ok());
  EXPECT_TRUE(IsInvalid(invalid.error())) << invalid.error();
  ASSERT_FALSE(invalid.error().details().causes.empty());
  EXPECT_EQ(invalid.error().details().causes.front().field, "metadata.name");
}

TEST_F(ClientOverTls, ABusyServerIsAskedAgain) {
  const auto maps = client_.For<ConfigMap>("default");
  Fault({.verb = "create",
         .action = FaultAction::kRespond,
         .count = 2,
         .status = 429,
         .retry_after = 0s});
  EXPECT_TRUE(maps.Create(NewConfigMap("a")).ok());
  EXPECT_EQ(client_.Stats().requests, 3U);
  Fault({.verb = "get", .action = FaultAction::kRespond, .status = 503});
  const auto unavailable = maps.Get("a");
  ASSERT_FALSE(unavailable.ok());
  EXPECT_TRUE(IsServiceUnavailable(unavailable.error())) << unavailable.error();
}

TEST_F(ClientOverTls, TheCallersTimeIsKept) {
  const auto maps = client_.For<ConfigMap>("default");
  Fault({.verb = "list", .action = FaultAction::kDelay, .delay = 1min});
  const auto late = maps.List({}, {.timeout = 50ms});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded) << late.error();
  Config config = server_.ClientConfig();
  config.timeout = 50ms;
  const Client hurried = Client::NewForConfig(config).OrExit();
  const auto also = hurried.For<ConfigMap>("default").List();
  ASSERT_FALSE(also.ok());
  EXPECT_EQ(also.error().reason(), Reason::kDeadlineExceeded) << also.error();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(maps.List({}, {.stop = stop.get_token()}).error().reason(), Reason::kCanceled);
}

// An answer that nobody reads to its end would cost its connection.
TEST(ClientOverHttp1, FailedAttemptsLeaveTheirConnectionUsable_RR18) {
  EmbeddedServer server({.http2 = false});
  const Client client = Client::NewForConfig(server.ClientConfig(), {.qps = -1}).OrExit();
  const auto maps = client.For<ConfigMap>("default");
  ASSERT_TRUE(IsNotFound(maps.Get("a").error()));
  const std::uint64_t connections = client.Stats().connections_opened;
  std::atomic<std::size_t> attempts{0};
  server.AnswerWith([&attempts](const HttpRequest&) -> std::optional<ScriptedResponse> {
    constexpr std::size_t kSizes[] = {0, 10, 2048, 1'000'000};
    const std::size_t attempt = attempts++;
    if (attempt >= std::size(kSizes)) return std::nullopt;
    ScriptedResponse busy{.status = 429, .body = std::string(kSizes[attempt], 'x')};
    busy.headers = {{"Content-Type", "text/plain"}, {"Retry-After", "0"}};
    return busy;
  });
  EXPECT_TRUE(maps.Create(NewConfigMap("a")).ok());
  EXPECT_EQ(attempts, 5U);
  EXPECT_EQ(client.Stats().connections_opened, connections);
}

// The front end breaks the connection instead of answering. Reads are repeated; a write may have
// been applied, so its caller gets an error.
TEST_F(ClientOverTls, AConnectionThatBreaksBeforeTheAnswer) {
  const auto maps = client_.For<ConfigMap>("default");
  ASSERT_TRUE(maps.Create(NewConfigMap("a")).ok());
  Fault({.verb = "get", .action = FaultAction::kRefuse, .count = 1});
  const auto repeated = maps.Get("a");
  EXPECT_TRUE(repeated.ok()) << repeated.error();
  EXPECT_EQ(server_.With([](apiserver::ApiServer& api) { return api.faults().hits(); }), 1U);

  Fault({.verb = "create", .action = FaultAction::kRefuse, .count = 1});
  const auto broken = maps.Create(NewConfigMap("b"));
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().reason(), Reason::kTransport) << broken.error();
  EXPECT_THAT(broken.error().message(),
              AllOf(HasSubstr(client_.Describe()), HasSubstr("broke before the response")));
  EXPECT_TRUE(IsNotFound(maps.Get("b").error())) << "refused means not done";
}

}  // namespace
}  // namespace kinformer::testing
