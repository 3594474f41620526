// The informer with unusual kube-apiservers: one has an API that another program serves, with JSON
// only; one behaves like an older minor version. Label `realserver`.

#include <atomic>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/api/batchv1.h"
#include "kinformer/api/batchv1_mutable.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/cache/dynamic_shared_informer_factory.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/transport.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/api_server.h"

#include "realserver/clients.h"
#include "realserver/real_server.h"

namespace kinformer {
namespace {

using testing::Eventually;
using testing::InCache;
using testing::MakeNamespace;
using testing::NewClient;
using testing::NewConfigMap;
using testing::OnServer;
using testing::RealServer;

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kUnknown = "application/x-unknown";

// An API without protobuf: 406 if only protobuf is accepted, 415 for a body in protobuf.
class JsonOnly : public Handler {
 public:
  explicit JsonOnly(Handler& inner) : inner_(inner) {}

  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    HttpHeaders headers;
    for (const auto& [name, value] : request.headers) {
      const bool unknown = value.starts_with(kProtobuf);
      if (unknown) ++refused_;
      headers.Add(name, unknown ? kUnknown : value);
    }
    request.headers = std::move(headers);
    return inner_.Handle(std::move(request));
  }
  [[nodiscard]] int refused() const { return refused_; }

 private:
  Handler& inner_;
  std::atomic<int> refused_{0};
};

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The group batch/v1 on a real server, which passes its requests on.
class AggregatedJobs : public ::testing::Test {
 protected:
  void SetUp() override {
    real_.Start({"--", "--runtime-config=batch/v1=false"});
    behind_.With([&](apiserver::ApiServer& server) { json_only_.emplace(server); });
    http_ = apiserver::HttpServer::Listen(
                behind_.env(), *json_only_,
                {.tls = true, .client_ca_pem = TextOf(real_.front_proxy_ca_file())})
                .OrExit();
    client_.emplace(NewClient(real_));
    Create("services", R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"jobs"},)"
                       R"("spec":{"type":"ExternalName","externalName":"localhost"}})");
    Create("apiservices",
           R"({"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService",)"
           R"("metadata":{"name":"v1.batch"},"spec":{"group":"batch","version":"v1",)"
           R"("groupPriorityMinimum":1000,"versionPriority":15,"insecureSkipTLSVerify":true,)"
           R"("service":{"namespace":"default","name":"jobs","port":)" +
               std::to_string(http_->port()) + "}}}");
  }

  void Create(std::string_view resource, const std::string& text) {
    const RestMapping mapping = client_->Discovery().MappingFor(resource).OrExit();
    const auto made = client_->Dynamic(mapping, mapping.namespaced ? "default" : "")
                          .Create(json::Parse(text).OrExit());
    ASSERT_TRUE(made) << made.error();
  }

  RealServer real_;
  testing::ApiServer behind_;
  std::optional<JsonOnly> json_only_;
  std::unique_ptr<apiserver::HttpServer> http_;
  std::optional<Client> client_;
};

batchv1::Job::Mutable NewJob(const std::string& name) {
  batchv1::Job::Mutable job;
  job.metadata.name = name;
  corev1::PodSpec::Mutable& pod = job.spec.template_.spec;
  pod.restartPolicy = "Never";
  auto& container = pod.containers.emplace_back();
  container.name = "main";
  container.image = "main:1";
  return job;
}

TEST_F(AggregatedJobs, InformersFallBackToJson) {
  const auto jobs = client_->For<batchv1::Job>("default");
  // Until the API is available, the real server answers 404 or 503.
  ASSERT_TRUE(Eventually([&] { return jobs.List().ok(); })) << jobs.List().error();
  // Its discovery is available a moment after the API itself.
  ASSERT_TRUE(
      Eventually([&] { return NewClient(real_).Discovery().MappingFor("jobs.v1.batch").ok(); }));
  EXPECT_GT(json_only_->refused(), 0) << "protobuf was not asked for";

  const Client fresh = NewClient(real_);  // does not know yet that these need JSON
  SharedInformer<batchv1::Job> typed(fresh.env(), NewListWatch<batchv1::Job>(fresh, "default"));
  typed.Start();
  DynamicSharedInformerFactory factory(fresh);
  const auto dynamic = factory.ForResource({"batch", "v1", "jobs"}).OrExit();
  factory.Start();
  ASSERT_TRUE(typed.WaitForCacheSync({}, {.timeout = std::chrono::seconds(30)}))
      << typed.Status().ErrorText();
  ASSERT_TRUE(dynamic.WaitForCacheSync({}, {.timeout = std::chrono::seconds(30)}))
      << dynamic.Status().ErrorText();

  // The body of a new client, which uses protobuf first, is refused as well.
  const int refused = json_only_->refused();
  const auto made = NewClient(real_).For<batchv1::Job>("default").Create(NewJob("sum"));
  ASSERT_TRUE(made) << made.error();
  EXPECT_GT(json_only_->refused(), refused);
  const auto both_have = [&](std::size_t count) {
    return Eventually(
        [&] { return typed.Snapshot().size() == count && dynamic.Snapshot().size() == count; });
  };
  ASSERT_TRUE(both_have(1));
  const auto job = typed.lister().Namespace("default").Get("sum").OrExit();
  EXPECT_EQ(job->spec().template_().spec().restartPolicy(), "Never");
  EXPECT_EQ(job->metadata().resourceVersion(), (*made)->metadata().resourceVersion());
  ASSERT_TRUE(jobs.Delete("sum"));
  EXPECT_TRUE(both_have(0));
  EXPECT_EQ(typed.Stats().AllLists(), 1U);
  EXPECT_EQ(dynamic.Stats().AllLists(), 1U);
}

TEST(OlderMinor, WithoutWatchListAnInformerLists) {
  RealServer old;
  old.Start({"--", "--emulated-version=1.34", "--feature-gates=WatchList=false"});
  const Client client = NewClient(old);
  EXPECT_THAT(client.GetRaw("/version").OrExit(),
              ::testing::HasSubstr(R"("emulationMinor": "34")"));
  MakeNamespace(client, "older");
  const auto maps = client.For<corev1::ConfigMap>("older");
  ASSERT_TRUE(maps.Create(NewConfigMap("first", "x")));
  SharedInformer<corev1::ConfigMap> informer(client.env(),
                                             NewListWatch<corev1::ConfigMap>(client, "older"));
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync({}, {.timeout = std::chrono::seconds(30)}))
      << informer.Status().ErrorText();
  EXPECT_EQ(informer.Stats().watch_lists, 0U);
  EXPECT_EQ(informer.Stats().lists, 1U);
  ASSERT_TRUE(maps.Create(NewConfigMap("second", "x")));
  ASSERT_TRUE(maps.Delete("first"));
  EXPECT_TRUE(Eventually([&] { return InCache(informer) == OnServer(client, "older"); }));
  EXPECT_EQ(informer.Stats().lists, 1U) << "and watches from there";
}

}  // namespace
}  // namespace kinformer
