// Conversion webhooks: hub and spokes.

#include "kinformer/webhook/conversion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kinformer/object/custom_resource.h"

#include "controller/webhook/asked_for_test.h"

namespace kinformer::testing {
namespace {

using ::testing::HasSubstr;

struct Size {
  std::int64_t size = 0;
};
struct WidgetV1 {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1", .kind = "Widget"};
  Size spec{};
};
// The same kind with the size at the top, as text.
struct WidgetV1alpha1 {
  static constexpr CustomKind kKind{
      .group = "example.com", .version = "v1alpha1", .kind = "Widget"};
  std::string size{};
};
using Hub = CustomResource<WidgetV1>;
using Spoke = CustomResource<WidgetV1alpha1>;

Conversions WidgetConversions() {
  Conversions conversions;
  conversions
      .AddSpoke<Hub, Spoke>(
          [](const Spoke& from, Hub::Mutable& to) -> Result<void> {
            if (from.value().size == "throw") throw std::runtime_error("no luck");
            if (from.value().size.empty()) return Error(Reason::kInvalid, "a size is needed");
            to.spec.size = std::stoi(from.value().size);
            to.metadata.annotations["from"] = "v1alpha1";
            to.metadata.name = "another";
            return {};
          },
          [](const Hub& from, Spoke::Mutable& to) -> Result<void> {
            to.size = std::to_string(from.value().spec.size);
            return {};
          })
      .OrExit();
  const GroupVersionKind v1{"example.com", "v1", "Widget"};
  const GroupVersionKind v2{"example.com", "v2", "Widget"};
  conversions
      .Add(v1, v2,
           [](const json::Value& object) -> Result<json::Value> {
             return json::Value::MakeObject(
                 {{"metadata", object["metadata"]}, {"big", object.At("/spec/size")}});
           })
      .OrExit();
  return conversions;
}

json::Value Object(std::string_view text) { return json::Parse(text).OrExit(); }

TEST(Conversions, ToTheHubWithItsMetadata) {
  const json::Value made =
      WidgetConversions()
          .Convert(Object(R"({"apiVersion":"example.com/v1alpha1","kind":"Widget","metadata":
            {"name":"a","uid":"u","labels":{"l":"1"},"resourceVersion":"7"},"size":"3"})"),
                   "example.com/v1")
          .OrExit();
  EXPECT_EQ(made, Object(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":
            {"name":"a","uid":"u","labels":{"l":"1"},"annotations":{"from":"v1alpha1"},
            "resourceVersion":"7"},"spec":{"size":3}})"));
}

TEST(Conversions, FromTheHubToASpoke) {
  const json::Value made =
      WidgetConversions()
          .Convert(Object(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":
            {"name":"a","namespace":"n"},"spec":{"size":3}})"),
                   "example.com/v1alpha1")
          .OrExit();
  EXPECT_EQ(made, Object(R"({"apiVersion":"example.com/v1alpha1","kind":"Widget","metadata":
            {"name":"a","namespace":"n"},"size":"3"})"));
}

TEST(Conversions, FromSpokeToSpokeByWayOfTheHub) {
  const json::Value made =
      WidgetConversions()
          .Convert(Object(R"({"apiVersion":"example.com/v1alpha1","kind":"Widget","metadata":
            {"name":"a"},"size":"3"})"),
                   "example.com/v2")
          .OrExit();
  EXPECT_EQ(made, Object(R"({"apiVersion":"example.com/v2","kind":"Widget","metadata":
            {"name":"a","annotations":{"from":"v1alpha1"}},"big":3})"));
}

TEST(Conversions, SameVersion_IsUnchanged_NoWayIsAnError) {
  const json::Value object =
      Object(R"({"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"}})");
  EXPECT_EQ(WidgetConversions().Convert(object, "example.com/v2").OrExit(), object);
  for (const char* version : {"example.com/v1", "example.com/v9", "other.com/v1", "v1"}) {
    EXPECT_EQ(WidgetConversions().Convert(object, version).error().reason(),
              Reason::kInvalidArgument)
        << version;
  }
}

TEST(Conversions, SecondFunctionForDirection_IsRefused) {
  Conversions conversions = WidgetConversions();
  const auto same = [](const json::Value& object) -> Result<json::Value> { return object; };
  EXPECT_EQ(conversions.Add({"example.com", "v1", "Widget"}, {"example.com", "v2", "Widget"}, same)
                .error()
                .reason(),
            Reason::kAlreadyExists);
  EXPECT_EQ(conversions.Add({"example.com", "v1", "Widget"}, {"example.com", "v1", "Gadget"}, same)
                .error()
                .reason(),
            Reason::kInvalidArgument);
  const auto twice = conversions.AddSpoke<Hub, Spoke>(
      [](const Spoke&, Hub::Mutable&) -> Result<void> { return {}; },
      [](const Hub&, Spoke::Mutable&) -> Result<void> { return {}; });
  EXPECT_EQ(twice.error().reason(), Reason::kAlreadyExists);
}

class ConversionWebhook : public WebhookTest {
 protected:
  ConversionWebhook() { server_.RegisterConversions(WidgetConversions()).OrExit(); }
  // `review`: apiVersion and kind of the review.
  WebhookReply Convert(const std::string& size, const std::string& version = "example.com/v1",
                       const std::string& review =
                           R"("apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview",)") {
    return Ask("/convert", "{" + review + R"("request":{"uid":"u-1","desiredAPIVersion":")" +
                               version + R"(","objects":[
      {"apiVersion":"example.com/v1alpha1","kind":"Widget","metadata":{"name":"a",
      "namespace":"n"},"size":")" +
                               size + "\"}]}}");
  }
};

TEST_F(ConversionWebhook, AReviewIsAnswered) {
  const WebhookReply reply = Convert("5");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body["apiVersion"].StringOrEmpty(), "apiextensions.k8s.io/v1");
  EXPECT_EQ(reply.body.At("/response/uid").StringOrEmpty(), "u-1");
  EXPECT_EQ(reply.body.At("/response/result/status").StringOrEmpty(), "Success");
  EXPECT_EQ(reply.body.At("/response/convertedObjects/0/spec/size").AsInt64(), 5);
}

TEST_F(ConversionWebhook, ReviewWithoutKindOrVersion_GetsDefaults) {
  const WebhookReply plain = Convert("5", "example.com/v1", "");
  EXPECT_EQ(plain.body["kind"].StringOrEmpty(), "ConversionReview");
  EXPECT_EQ(plain.body["apiVersion"].StringOrEmpty(), "apiextensions.k8s.io/v1");
  EXPECT_EQ(plain.body.At("/response/result/status").StringOrEmpty(), "Success");
  EXPECT_EQ(Convert("5", "example.com/v1", R"("apiVersion":"apiextensions.k8s.io/v1beta1",)")
                .body["apiVersion"]
                .StringOrEmpty(),
            "apiextensions.k8s.io/v1beta1");
  EXPECT_EQ(Convert("5", "example.com/v1", R"("kind":"AdmissionReview",)").status, 400);
}

TEST_F(ConversionWebhook, ErrorsAndThrowsAreFailures) {
  const WebhookReply refused = Convert("");
  EXPECT_EQ(refused.status, 200);
  EXPECT_EQ(refused.body.At("/response/result").Dump(),
            R"({"status":"Failure","message":"Widget n/a: a size is needed"})");
  const WebhookReply thrown = Convert("throw");
  EXPECT_EQ(thrown.body.At("/response/result/message").StringOrEmpty(),
            "panic: no luck [recovered]");
  EXPECT_EQ(thrown.body.At("/response/uid").StringOrEmpty(), "u-1");
  EXPECT_THAT(metrics_->Text(), HasSubstr("controller_runtime_conversion_webhook_panics_total 1"));
  const WebhookReply no_way = Convert("5", "other.com/v2");
  for (const WebhookReply& failed : {refused, thrown, no_way}) {
    EXPECT_EQ(failed.body.At("/response/result/status").StringOrEmpty(), "Failure");
    EXPECT_EQ(failed.body.At("/response/convertedObjects").Dump(), "[]");
  }
  EXPECT_EQ(Ask("/convert", "{}").status, 400);
}

}  // namespace
}  // namespace kinformer::testing
