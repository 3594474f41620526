// A reconcile reads what another worker is writing at the moment.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client/client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/environment.h"
#include "kinformer/webhook/admission_validator.h"
#include "kinformer/webhook/webhook_server.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const GroupVersionResource kMaps{"", "v1", "configmaps"};

constexpr const char* kWebhook = R"(
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: secrets}
webhooks:
- name: check.secrets.example.com
  sideEffects: None
  timeoutSeconds: 10
  admissionReviewVersions: [v1]
  clientConfig:
    service: {namespace: default, name: hooks, path: /validate--v1-secret}
  rules:
  - {operations: ["CREATE"], apiGroups: [""], apiVersions: [v1], resources: [secrets]}
)";

class UnderWayTest : public ::testing::Test {
 protected:
  // Lets one of two workers, that of "writer", create a Secret, which a webhook holds for a while,
  // and the other one read it. Returns what reconciles of "reader" found, until one had no error.
  std::vector<std::string> ReadMeanwhile(ControllerOptions options, Duration held,
                                         const std::string& read) {
    read_ = read;
    options.max_concurrent_reconciles = 2;
    env_.webhooks()
        .RegisterValidator<corev1::Secret>(std::make_shared<admission::Validator<corev1::Secret>>())
        .OrExit();
    env_.server().Load(kWebhook).OrExit();
    env_.AddReplica("a", [&](Manager& manager) {
      ControllerBuilder(manager)
          .For<corev1::ConfigMap>()
          .WithOptions(options)
          .Complete([this, client = manager.GetClient()](
                        const ReconcileContext& context,
                        const Request& request) -> Result<ReconcileResult> {
            if (request.name == "writer") {
              corev1::Secret::Mutable secret;
              secret.metadata.namespace_ = "default";
              secret.metadata.name = "child";
              const auto made = client.Create(secret, {}, context.call());
              if (!made && made.error().reason() != Reason::kAlreadyExists) return made.error();
              return ReconcileResult{};
            }
            const auto child = client.Get<corev1::Secret>({"default", read_}, context.call());
            if (!child && child.error().reason() == Reason::kStale) {
              if (request.name == "reader") found_.emplace_back("stale");
              return child.error();
            }
            if (request.name == "reader") found_.emplace_back(child ? "found" : "absent");
            return ReconcileResult{};
          })
          .OrExit();
    });
    env_.RunFor(seconds(5));
    Make("first");  // makes the cache of Secrets
    env_.RunFor(seconds(5));
    env_.DelayWebhooks(held);
    Make("writer");
    env_.RunFor(milliseconds(500));
    Make("reader");
    env_.RunFor(seconds(60));
    return found_;
  }
  void Make(const std::string& name) {
    env_.server()
        .Create(kMaps,
                *json::Parse(R"({"metadata":{"namespace":"default","name":")" + name + R"("}})"))
        .OrExit();
  }

  std::string read_;  // the name of the Secret
  std::vector<std::string> found_;
  Environment env_;
};

TEST_F(UnderWayTest, AReadWaitsForTheAnswerOfTheWrite) {
  EXPECT_EQ(ReadMeanwhile({}, seconds(3), "child"), (std::vector<std::string>{"stale", "found"}));
}

TEST_F(UnderWayTest, AReadOfAnotherObject_DoesNotWait) {
  EXPECT_EQ(ReadMeanwhile({}, seconds(3), "other"), (std::vector<std::string>{"absent"}));
}

TEST_F(UnderWayTest, AWriteThatTakesTooLong_IsWaitedForTwiceOnly) {
  EXPECT_EQ(ReadMeanwhile({}, seconds(15), "child"),
            (std::vector<std::string>{"stale", "stale", "absent"}));
}

TEST_F(UnderWayTest, ReconcilesThatAreNotPutAside_DoNotWait) {
  EXPECT_EQ(ReadMeanwhile({.park_stale_reads = false}, seconds(3), "child"),
            (std::vector<std::string>{"absent"}));
}

}  // namespace
}  // namespace kinformer::testing
