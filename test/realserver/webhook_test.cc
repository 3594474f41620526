// The real kube-apiserver calls our webhooks, over TLS. Label `realserver`.

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/admissionregistrationv1.h"
#include "kinformer/api/admissionregistrationv1_mutable.h"
#include "kinformer/api/apiextensionsv1.h"
#include "kinformer/api/apiextensionsv1_mutable.h"
#include "kinformer/api/appsv1.h"
#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/autoscalingv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/policyv1_mutable.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/webhook/webhook_listener.h"
#include "kinformer/webhook/webhook_server.h"

#include "controller/certificates/folder_for_test.h"
#include "object/values/text_forms.h"
#include "realserver/clients.h"
#include "realserver/real_server.h"

namespace kinformer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Widget {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  std::int64_t size = 0;
};
struct AlphaWidget {
  static constexpr CustomKind kKind{
      .group = "example.com", .version = "v1alpha1", .kind = "Widget"};
  std::string length{};
};
using Widgets = CustomResource<Widget>;
using AlphaWidgets = CustomResource<AlphaWidget>;

class MapValidator : public admission::Validator<corev1::ConfigMap> {
 public:
  Result<void> ValidateCreate(const admission::Request&, const corev1::ConfigMap& map,
                              admission::Warnings&) override {
    if (map.data().Find("bad")) return Error(Reason::kForbidden, "there is something bad in it");
    return {};
  }
  Result<void> ValidateDelete(const admission::Request&, const corev1::ConfigMap& map,
                              admission::Warnings&) override {
    if (map.data().Find("keep")) return Error(Reason::kConflict, "it is needed");
    return {};
  }
};

class RealWebhooks : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.Write(folder_.Make());
    webhooks_.RegisterValidator<corev1::ConfigMap>(std::make_shared<MapValidator>()).OrExit();
    webhooks_
        .RegisterDefaulter<corev1::ConfigMap>(
            [this](const admission::Request&, corev1::ConfigMap::Mutable& map) -> Result<void> {
              ++asked_;
              map.metadata.labels.try_emplace("tier", "back");
              return {};
            })
        .OrExit();
    Conversions conversions;
    conversions
        .AddSpoke<Widgets, AlphaWidgets>(
            [](const AlphaWidgets& from, Widgets::Mutable& to) -> Result<void> {
              to.size = std::stoi(from.value().length);
              return {};
            },
            [](const Widgets& from, AlphaWidgets::Mutable& to) -> Result<void> {
              to.length = std::to_string(from.value().size);
              return {};
            })
        .OrExit();
    webhooks_.RegisterConversions(std::move(conversions)).OrExit();
    webhooks_
        .Register("/record",
                  [this](const admission::Request& request) {
                    Record(request);
                    return admission::Allowed();
                  })
        .OrExit();
    listener_ =
        WebhookListener::Listen(runtime_.env(), webhooks_,
                                {.address = "127.0.0.1", .port = 0, .cert_dir = folder_.path()})
            .OrExit();
    ASSERT_NO_FATAL_FAILURE(server_.Start());
    client_.emplace(NewClient(server_));
    MakeNamespace(*client_, "default");
  }

  // Returns {"url": ..., "caBundle": ...}.
  [[nodiscard]] std::string ClientConfig(const std::string& path) const {
    std::string bundle;
    internal::AppendBase64(folder_.ca_pem(), bundle);
    return R"({"url":"https://127.0.0.1:)" + std::to_string(listener_->port()) + path +
           R"(","caBundle":")" + bundle + R"("})";
  }
  // Returns a configuration with one webhook for ConfigMaps.
  [[nodiscard]] std::string Configuration(const std::string& path) const {
    return R"({"metadata":{"name":"maps"},"webhooks":[{"name":"maps.example.com",
      "sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":)" +
           ClientConfig(path) + R"(,"rules":[{"operations":["CREATE","UPDATE","DELETE"],
      "apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]}],
      "namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"default"}}}]})";
  }
  void DefineWidgets() {
    const std::string schema =
        R"({"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}})";
    Make<apiextensionsv1::CustomResourceDefinition>(
        R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com",
        "scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[
        {"name":"v1","served":true,"storage":true,"schema":)" +
        schema + R"(},{"name":"v1alpha1","served":true,"storage":false,"schema":)" + schema +
        R"(}],"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
        "clientConfig":)" +
        ClientConfig("/convert") + "}}}}");
  }
  // Returns a configuration with one webhook at /record for these resources in all groups, limited
  // to namespace default; its failures are ignored.
  [[nodiscard]] std::string Recording(const std::string& name, const std::string& versions,
                                      const std::string& resources) const {
    return R"({"metadata":{"name":")" + name + R"("},"webhooks":[{"name":")" + name +
           R"(.example.com","failurePolicy":"Ignore",
      "sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":)" +
           ClientConfig("/record") + R"(,"rules":[{"operations":["*"],"apiGroups":["*"],
      "apiVersions":[)" +
           versions + R"(],"resources":[)" + resources + R"(]}],
      "namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"default"}}}]})";
  }
  // Returns "CREATE v1 Binding pods/binding x by UpdateOptions" for each recent review.
  std::vector<std::string> Recorded() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(recorded_, {});
  }
  void Record(const admission::Request& request) {
    // Skips objects that the server creates for itself at unpredictable times during its start.
    if (request.userInfo.username == "system:apiserver") return;
    const std::string sub = request.subResource.empty() ? "" : "/" + request.subResource;
    const std::lock_guard<std::mutex> lock(mutex_);
    recorded_.push_back(request.operation + " " + request.kind.version + " " + request.kind.kind +
                        " " + request.resource.resource + sub + " " + request.name + " by " +
                        request.options["kind"].StringOrEmpty());
    last_ = request;
  }
  // Waits until the new configuration is in effect.
  void WaitUntilRecording() {
    ASSERT_TRUE(Eventually([&, count = 0]() mutable {
      static_cast<void>(client_->For<corev1::ConfigMap>("default")
                            .Create(NewConfigMap("wait" + std::to_string(count++), "1"))
                            .ok());
      return !Recorded().empty();
    }));
    ASSERT_TRUE(client_->For<corev1::ConfigMap>("default").DeleteCollection().ok());
    Recorded();
  }
  template <class T>
  void Make(const std::string& text) {
    const auto object = internal::DecodeJson<typename T::Mutable>(text).OrExit();
    const auto made = client_->For<T>().Create(object);
    ASSERT_TRUE(made.ok()) << made.error();
  }

  CertificateFolder folder_{};
  Runtime runtime_{};
  std::atomic<int> asked_{0};
  std::mutex mutex_;
  std::vector<std::string> recorded_{};
  admission::Request last_{};
  WebhookServer webhooks_{runtime_.env()};
  std::unique_ptr<WebhookListener> listener_{};
  RealServer server_{};
  std::optional<Client> client_{};
};

TEST_F(RealWebhooks, ADefaulterAndAValidator) {
  using admissionregistrationv1::MutatingWebhookConfiguration;
  using admissionregistrationv1::ValidatingWebhookConfiguration;
  Make<MutatingWebhookConfiguration>(Configuration("/mutate--v1-configmap"));
  Make<ValidatingWebhookConfiguration>(Configuration("/validate--v1-configmap"));
  const auto maps = client_->For<corev1::ConfigMap>("default");
  // A configuration takes effect after a moment.
  ASSERT_TRUE(Eventually([&, count = 0]() mutable {
    const auto made = maps.Create(NewConfigMap("probe" + std::to_string(count++), "1"));
    return made && (*made)->metadata().labels().Find("tier") == "back";
  }));
  corev1::ConfigMap::Mutable bad = NewConfigMap("bad", "1");
  bad.data["bad"] = "1";
  ASSERT_TRUE(Eventually([&] { return !maps.Create(bad, {.dryRun = {"All"}}).ok(); }));
  const auto refused = maps.Create(bad);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(IsForbidden(refused.error())) << refused.error();
  EXPECT_EQ(refused.error().message(),
            "admission webhook \"maps.example.com\" denied the request: there is something bad in "
            "it");
  corev1::ConfigMap::Mutable kept = NewConfigMap("kept", "1");
  kept.data["keep"] = "1";
  ASSERT_TRUE(maps.Create(kept).ok());
  const Result<void> deleted = maps.Delete("kept");
  ASSERT_FALSE(deleted.ok());
  EXPECT_TRUE(IsConflict(deleted.error())) << deleted.error();
  EXPECT_THAT(deleted.error().message(), HasSubstr("denied the request: it is needed"));

  // Another certificate of the same authority, over new connections.
  ASSERT_TRUE(listener_->SetCertificate(folder_.Make()).ok());
  const int before = asked_;
  ASSERT_TRUE(maps.Create(NewConfigMap("later", "1")).ok());
  EXPECT_GT(asked_, before);
}

TEST_F(RealWebhooks, AConversionBetweenVersions) {
  DefineWidgets();
  const auto alpha = client_->For<AlphaWidgets>("default");
  AlphaWidgets::Mutable widget;
  widget.metadata.name = "blue";
  widget.metadata.labels["color"] = "blue";
  widget.length = "7";
  // A new definition takes a moment until it is served.
  ASSERT_TRUE(Eventually([&] { return alpha.Create(widget).ok(); }));
  const Ref<Widgets> hub = client_->For<Widgets>("default").Get("blue").OrExit();
  EXPECT_EQ(hub->value().size, 7);
  EXPECT_EQ(hub->metadata().labels().Find("color"), "blue");
  const Ref<AlphaWidgets> spoke = alpha.Get("blue").OrExit();
  EXPECT_EQ(spoke->value().length, "7");
}

// Same expectations as for the embedded server: server/apiserver/admission_subresource_test.cc.
TEST_F(RealWebhooks, SubresourceReviews_NameKindAndOptions) {
  using admissionregistrationv1::ValidatingWebhookConfiguration;
  Make<ValidatingWebhookConfiguration>(Recording("all", R"("*")", R"("*/*")"));
  ASSERT_NO_FATAL_FAILURE(WaitUntilRecording());
  const auto maps = client_->For<corev1::ConfigMap>("default");
  ASSERT_TRUE(maps.Create(NewConfigMap("m", "1")).ok());
  ASSERT_TRUE(maps.Patch("m", {.body = R"({"data":{"k":"1"}})"}).ok());
  ASSERT_TRUE(maps.DeleteCollection().ok());
  EXPECT_THAT(Recorded(), ElementsAre("CREATE v1 ConfigMap configmaps m by CreateOptions",
                                      "UPDATE v1 ConfigMap configmaps m by UpdateOptions",
                                      "DELETE v1 ConfigMap configmaps  by DeleteOptions"));

  const DelegatingClient parts(*client_, std::make_shared<SharedInformerFactory>(*client_));
  appsv1::Deployment::Mutable web;
  web.metadata.name = "web";
  web.spec.replicas = 1;
  web.spec.selector.emplace().matchLabels["app"] = "web";
  web.spec.template_.metadata.labels["app"] = "web";
  web.spec.template_.spec.containers.push_back({.name = "c", .image = "i"});
  ASSERT_TRUE(client_->For<appsv1::Deployment>("default").Create(web).ok());
  Recorded();
  autoscalingv1::Scale::Mutable scale;
  scale.metadata.name = "web";
  scale.spec.replicas = 3;
  ASSERT_TRUE(
      parts.SubResource("scale").Update<appsv1::Deployment>({"default", "web"}, scale).ok());
  EXPECT_THAT(Recorded(), ElementsAre("UPDATE v1 Scale deployments/scale web by UpdateOptions"));
  EXPECT_EQ(last_.kind.group, "autoscaling");
  EXPECT_EQ(last_.object.At("/spec/replicas").AsInt64(), 3);
  EXPECT_EQ(last_.oldObject.At("/spec/replicas").AsInt64(), 1);

  corev1::Pod::Mutable pod;
  pod.metadata.name = "x";
  pod.spec.containers.push_back({.name = "c", .image = "i"});
  ASSERT_TRUE(client_->For<corev1::Pod>("default").Create(pod).ok());
  Recorded();
  corev1::Binding::Mutable binding;
  binding.metadata.name = "x";
  binding.target.name = "n";
  ASSERT_TRUE(parts.SubResource("binding").Create<corev1::Pod>({"default", "x"}, binding).ok());
  policyv1::Eviction::Mutable eviction;
  eviction.metadata.name = "x";
  ASSERT_TRUE(parts.SubResource("eviction").Create<corev1::Pod>({"default", "x"}, eviction).ok());
  EXPECT_THAT(Recorded(), ElementsAre("CREATE v1 Binding pods/binding x by CreateOptions",
                                      "CREATE v1 Eviction pods/eviction x by CreateOptions"));
}

// Likewise: server/apiserver/admission_version_test.cc.
TEST_F(RealWebhooks, AWebhookForAnotherVersion) {
  using admissionregistrationv1::MutatingWebhookConfiguration;
  using admissionregistrationv1::ValidatingWebhookConfiguration;
  DefineWidgets();
  Make<ValidatingWebhookConfiguration>(Recording("hub", R"("v1")", R"("widgets","configmaps")"));
  ASSERT_NO_FATAL_FAILURE(WaitUntilRecording());
  const auto alpha = client_->For<AlphaWidgets>("default");
  AlphaWidgets::Mutable widget;
  widget.metadata.name = "blue";
  widget.length = "7";
  ASSERT_TRUE(Eventually([&] { return alpha.Create(widget).ok(); }));
  EXPECT_THAT(Recorded(), ElementsAre("CREATE v1 Widget widgets blue by CreateOptions"));
  EXPECT_EQ(last_.object["size"].AsInt64(), 7);
  EXPECT_EQ(last_.object["apiVersion"].StringOrEmpty(), "example.com/v1");
  EXPECT_EQ(last_.requestKind->version, "v1alpha1");
  EXPECT_EQ(last_.requestResource->version, "v1alpha1");

  // A failed conversion makes the request fail, whatever the webhook's failure policy.
  widget.metadata.name = "bad";
  widget.length = "no number";
  const std::string failed = "conversion webhook for example.com/v1alpha1, Kind=Widget failed: ";
  const auto validated = alpha.Create(widget);
  ASSERT_FALSE(validated.ok());
  EXPECT_THAT(validated.error().message(),
              ::testing::StartsWith("Internal error occurred: " + failed));
  Make<MutatingWebhookConfiguration>(Recording("alpha", R"("v1")", R"("widgets")"));
  ASSERT_TRUE(Eventually([&] {
    const auto mutated = alpha.Create(widget);
    return !mutated.ok() && mutated.error().message().starts_with(
                                "Internal error occurred: Internal error occurred: " + failed);
  }));
  EXPECT_THAT(Recorded(), IsEmpty());
}

}  // namespace
}  // namespace kinformer::testing
