// Each function that a program gives to a manager's webhooks stops the manager, and a callback for
// certificates ends what calls it. Nothing may hang.

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/controller/manager.h"
#include "kinformer/endpoints/certificate_watcher.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/webhook/webhook_certificates.h"
#include "kinformer/webhook/webhook_server.h"

#include "controller/certificates/folder_for_test.h"
#include "integration/ending_place.h"
#include "integration/webhook_secret_fixture.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct WidgetV1 {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1", .kind = "Widget"};
  std::string size{};
};
struct WidgetV2 {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v2", .kind = "Widget"};
  std::string size{};
};

class OwnValidator final : public admission::Validator<ConfigMap> {
 public:
  explicit OwnValidator(EndingPlace& place) : place_(place) {}
  Result<void> ValidateCreate(const admission::Request&, const ConfigMap&,
                              admission::Warnings&) override {
    return Reach("ValidateCreate");
  }
  Result<void> ValidateUpdate(const admission::Request&, const ConfigMap&, const ConfigMap&,
                              admission::Warnings&) override {
    return Reach("ValidateUpdate");
  }
  Result<void> ValidateDelete(const admission::Request&, const ConfigMap&,
                              admission::Warnings&) override {
    return Reach("ValidateDelete");
  }

 private:
  Result<void> Reach(const char* function) {
    place_.Reach(function);
    return {};
  }
  EndingPlace& place_;
};

std::string Review(const std::string& operation) {
  const std::string object =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}})";
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
         R"("kind":{"group":"","version":"v1","kind":"ConfigMap"},"operation":")" +
         operation + R"(","object":)" + (operation == "DELETE" ? "null" : object) +
         R"(,"oldObject":)" + (operation == "CREATE" ? "null" : object) + "}}";
}

std::string Conversion(const std::string& to, const std::string& from) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":)"
         R"({"uid":"u","desiredAPIVersion":"example.com/)" +
         to + R"(","objects":[{"apiVersion":"example.com/)" + from +
         R"(","kind":"Widget","metadata":{"name":"a","namespace":"default"}}]}})";
}

struct Case {
  const char* function;
  std::string path;
  std::string body;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.function; }
};

class StopFromWebhook : public ::testing::TestWithParam<Case> {
 protected:
  static void Register(WebhookServer& webhooks, EndingPlace& place) {
    webhooks
        .Register("/ask",
                  [&place](const admission::Request&) {
                    place.Reach("Handler");
                    return admission::Allowed("");
                  })
        .OrExit();
    webhooks
        .RegisterDefaulter<ConfigMap>(
            [&place](const admission::Request&, ConfigMap::Mutable&) -> Result<void> {
              place.Reach("Defaulter");
              return {};
            })
        .OrExit();
    webhooks.RegisterValidator<ConfigMap>(std::make_shared<OwnValidator>(place)).OrExit();
    webhooks
        .RegisterAuthentication("/who",
                                [&place](const authentication::Request&) {
                                  place.Reach("Authentication");
                                  return authentication::Unauthenticated("unknown");
                                })
        .OrExit();
    using V1 = CustomResource<WidgetV1>;
    using V2 = CustomResource<WidgetV2>;
    Conversions conversions;
    conversions
        .Add<V1, V2>([&place](const V1&, V2::Mutable&) -> Result<void> {
          place.Reach("TypedConversion");
          return {};
        })
        .OrExit();
    conversions
        .Add({"example.com", "v2", "Widget"}, {"example.com", "v1", "Widget"},
             [&place](const json::Value& object) -> Result<json::Value> {
               place.Reach("Conversion");
               return object;
             })
        .OrExit();
    webhooks.RegisterConversions(std::move(conversions)).OrExit();
  }

  Simulation sim_{{.seed = 39}};
  ApiServer server_{sim_};
};

TEST_P(StopFromWebhook, AReviewIsAnsweredAndTheManagerEnds) {
  const Case& c = GetParam();
  EndingPlace place(c.function);
  std::stop_source stop;
  bool ended = false;
  std::unique_ptr<ResponseStream> answer;
  {
    const auto manager = Manager::New(Client::ForTransport(sim_.env(), server_.transport()),
                                      {.metrics_bind_address = "0", .serve_webhooks = false})
                             .OrExit();
    WebhookServer& webhooks = manager->GetWebhookServer();
    Register(webhooks, place);
    place.Arm([&] { stop.request_stop(); });
    const auto thread = sim_.env().NewThread("manager", [&] {
      EXPECT_TRUE(manager->Start(stop.get_token()).ok());
      ended = true;
    });
    sim_.RunFor(seconds(5));
    sim_.env().loop().Post([&] {
      HttpRequest request{.method = "POST", .target = c.path, .body = c.body};
      request.headers.Add("Content-Type", "application/json");
      answer = webhooks.Handle(std::move(request));
    });
    EXPECT_TRUE(sim_.RunUntil([&] { return place.ended(); }, minutes(1))) << place.reached();
    EXPECT_TRUE(sim_.RunUntil([&] { return answer != nullptr && answer->ready(); }, minutes(1)));
    EXPECT_EQ(answer->status(), 200);
    stop.request_stop();
    EXPECT_TRUE(sim_.RunUntil([&] { return ended; }, minutes(10)));
    answer.reset();
  }
  sim_.RunReady();
}

INSTANTIATE_TEST_SUITE_P(
    All, StopFromWebhook,
    ::testing::Values(Case{"Handler", "/ask", Review("CREATE")},
                      Case{"Defaulter", "/mutate--v1-configmap", Review("CREATE")},
                      Case{"ValidateCreate", "/validate--v1-configmap", Review("CREATE")},
                      Case{"ValidateUpdate", "/validate--v1-configmap", Review("UPDATE")},
                      Case{"ValidateDelete", "/validate--v1-configmap", Review("DELETE")},
                      Case{"Authentication", "/who",
                           R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview",)"
                           R"("spec":{"token":"t"}})"},
                      Case{"TypedConversion", "/convert", Conversion("v2", "v1")},
                      Case{"Conversion", "/convert", Conversion("v1", "v2")}),
    [](const auto& test) { return test.param.function; });

// ---- certificates

// A callback that is replaced hears nothing more; one that replaces itself does not wait for
// itself.
TEST(StopFromCertificates, ACallbackTakesItselfAway) {
  Simulation sim({.seed = 40});
  CertificateFolder folder;
  folder.Write(folder.Make());
  std::unique_ptr<CertificateWatcher> watcher =
      CertificateWatcher::New(sim.env(), folder.files()).OrExit();
  for (const bool at_the_first : {true, false}) {
    SCOPED_TRACE(at_the_first);
    int calls = 0;
    const auto callback = [&](const CertificatePair&) {
      if (++calls == (at_the_first ? 1 : 2)) watcher->SetCallback({});
    };
    EXPECT_TRUE(sim.RunBlocking([&] { watcher->SetCallback(callback); }, minutes(1)));
    folder.Write(folder.Make());
    sim.RunFor(minutes(1));
    EXPECT_EQ(calls, at_the_first ? 1 : 2);
    folder.Write(folder.Make());
    sim.RunFor(minutes(1));
    EXPECT_EQ(calls, at_the_first ? 1 : 2) << "nothing is called once it is away";
  }
  EXPECT_TRUE(sim.RunBlocking([&] { watcher.reset(); }, minutes(1)));
}

// The new callback gets the pair at once, inside the old one.
TEST(StopFromCertificates, ACallbackPutsAnotherInItsPlace) {
  Simulation sim({.seed = 41});
  CertificateFolder folder;
  folder.Write(folder.Make());
  std::unique_ptr<CertificateWatcher> watcher =
      CertificateWatcher::New(sim.env(), folder.files()).OrExit();
  std::string told;
  const auto second = [&](const CertificatePair&) { told += "second "; };
  const auto first = [&](const CertificatePair&) {
    told += "first( ";
    watcher->SetCallback(second);
    told += ") ";
  };
  EXPECT_TRUE(sim.RunBlocking([&] { watcher->SetCallback(first); }, minutes(1)));
  EXPECT_EQ(told, "first( second ) ");
  folder.Write(folder.Make());
  sim.RunFor(minutes(1));
  EXPECT_EQ(told, "first( second ) second ");
  EXPECT_TRUE(sim.RunBlocking([&] { watcher.reset(); }, minutes(1)));
}

using StopFromSecret = WebhookSecret;

TEST_F(StopFromSecret, TheCallbackOfACertificateEndsItsRun) {
  std::stop_source stop;
  int calls = 0;
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        WebhookCertificates(client_, Options()).Run(stop.get_token(), [&](const CertificatePair&) {
          ++calls;
          stop.request_stop();
        });
      },
      hours(1)));
  sim_.RunFor(hours(24 * 90));
  EXPECT_EQ(calls, 1) << "nothing is called once it has returned";
}

}  // namespace
}  // namespace kinformer::testing
