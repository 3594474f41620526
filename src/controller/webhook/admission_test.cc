// Admission handlers for objects of one kind.

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/internal/admission_object.h"
#include "kinformer/json/json_diff.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/webhook/webhook_server.h"

#include "controller/webhook/asked_for_test.h"

namespace kinformer::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// Refuses by the object's name; a warning contains the method that was called.
class NamedValidator : public admission::Validator<corev1::ConfigMap> {
 public:
  Result<void> ValidateCreate(const admission::Request&, const corev1::ConfigMap& object,
                              admission::Warnings& warnings) override {
    warnings.emplace_back("create");
    return Judge(object);
  }
  Result<void> ValidateUpdate(const admission::Request&, const corev1::ConfigMap& old,
                              const corev1::ConfigMap& object,
                              admission::Warnings& warnings) override {
    warnings.push_back("update from " + std::string(old.metadata().name()));
    return Judge(object);
  }
  Result<void> ValidateDelete(const admission::Request&, const corev1::ConfigMap& object,
                              admission::Warnings& warnings) override {
    warnings.emplace_back("delete");
    return Judge(object);
  }

 private:
  static Result<void> Judge(const corev1::ConfigMap& object) {
    const std::string name(object.metadata().name());
    if (name == "bad") return Error(Reason::kUnknown, "bad it is");
    if (name == "invalid") {
      return Error(Reason::kInvalid, "it is invalid")
          .WithDetails({.kind = "ConfigMap",
                        .causes = {{.reason = "FieldValueInvalid", .message = "m", .field = "f"}}});
    }
    return {};
  }
};

class AdmissionTest : public WebhookTest {
 protected:
  static json::Value Map(const std::string& name) {
    return json::Value::MakeObject({{"apiVersion", "v1"},
                                    {"kind", "ConfigMap"},
                                    {"metadata", json::Value::MakeObject({{"name", name}})}});
  }
  json::Value Validate(const std::string& operation, json::Value object, json::Value old) {
    return Ask("/validate--v1-configmap",
               Review(json::Value::MakeObject({{"operation", operation},
                                               {"object", std::move(object)},
                                               {"oldObject", std::move(old)}})))
        .body["response"];
  }
  WebhookReply Default(const std::string& operation, json::Value object) {
    return Ask(
        "/mutate--v1-pod",
        Review(json::Value::MakeObject({{"operation", operation}, {"object", std::move(object)}})));
  }
};

TEST_F(AdmissionTest, AValidatorByVerb_WH01) {
  server_.RegisterValidator<corev1::ConfigMap>(std::make_shared<NamedValidator>()).OrExit();
  const json::Value created = Validate("CREATE", Map("good"), nullptr);
  EXPECT_EQ(created["allowed"].AsBool(), true);
  EXPECT_EQ(created["warnings"].Dump(), R"(["create"])");
  const json::Value refused = Validate("CREATE", Map("bad"), nullptr);
  EXPECT_EQ(refused["allowed"].AsBool(), false);
  EXPECT_EQ(refused["warnings"].Dump(), R"(["create"])");
  EXPECT_EQ(refused["status"].Dump(),
            R"({"metadata":{},"message":"bad it is","reason":"Forbidden","code":403})");
  const json::Value updated = Validate("UPDATE", Map("invalid"), Map("before"));
  EXPECT_EQ(updated["warnings"].Dump(), R"(["update from before"])");
  EXPECT_EQ(updated["status"].Dump(),
            R"({"metadata":{},"message":"it is invalid","reason":"Invalid","details":{)"
            R"("kind":"ConfigMap","causes":[{"reason":"FieldValueInvalid","message":"m",)"
            R"("field":"f"}]},"code":422})");
  EXPECT_EQ(Validate("DELETE", nullptr, Map("good"))["allowed"].AsBool(), true);
  EXPECT_EQ(Validate("DELETE", nullptr, Map("bad"))["allowed"].AsBool(), false);
  EXPECT_EQ(Validate("CONNECT", nullptr, nullptr)["allowed"].AsBool(), true);
  EXPECT_EQ(Validate("LOOK", Map("good"), nullptr).At("/status/code").AsInt64(), 400);
}

// Always gives the same result.
class SteadyValidator : public admission::Validator<corev1::ConfigMap> {
 public:
  SteadyValidator(Result<void> result, admission::Warnings warnings)
      : result_(std::move(result)), warnings_(std::move(warnings)) {}
  Result<void> ValidateCreate(const admission::Request&, const corev1::ConfigMap&,
                              admission::Warnings& warnings) override {
    warnings = warnings_;
    return result_;
  }
  Result<void> ValidateUpdate(const admission::Request&, const corev1::ConfigMap&,
                              const corev1::ConfigMap&, admission::Warnings& warnings) override {
    warnings = warnings_;
    return result_;
  }
  Result<void> ValidateDelete(const admission::Request&, const corev1::ConfigMap&,
                              admission::Warnings& warnings) override {
    warnings = warnings_;
    return result_;
  }

 private:
  const Result<void> result_;
  const admission::Warnings warnings_;
};

TEST_F(AdmissionTest, EachVerbIsAnsweredAsTheValidatorSays_WH01) {
  struct Case {
    const char* what;
    Result<void> result;
    std::string status;
  };
  const std::vector<Case> cases{
      {"yes", {}, R"({"metadata":{},"code":200})"},
      {"an error of the API", Error(Reason::kInvalid, "some message"),
       R"({"metadata":{},"message":"some message","reason":"Invalid","code":422})"},
      {"another error", Error(Reason::kTransport, "some error"),
       R"({"metadata":{},"message":"some error","reason":"Forbidden","code":403})"}};
  for (const Case& c : cases) {
    for (const admission::Warnings& warnings : {admission::Warnings{}, {"one", "another"}}) {
      const admission::Handler handler = admission::WithValidator<corev1::ConfigMap>(
          std::make_shared<SteadyValidator>(c.result, warnings));
      const std::string path = std::string("/") + (warnings.empty() ? "" : "warned/") + c.what;
      ASSERT_TRUE(server_.Register(path, handler).ok());
      const auto ask = [&](const char* operation, json::Value object, json::Value old) {
        return Ask(path, Review(json::Value::MakeObject({{"operation", operation},
                                                         {"object", std::move(object)},
                                                         {"oldObject", std::move(old)}})))
            .body["response"];
      };
      for (const json::Value& response :
           {ask("CREATE", Map("a"), nullptr), ask("UPDATE", Map("a"), Map("a")),
            ask("DELETE", nullptr, Map("a"))}) {
        EXPECT_EQ(response["allowed"].AsBool(), c.result.ok()) << c.what;
        EXPECT_EQ(response["status"].Dump(), c.status) << c.what;
        EXPECT_EQ(response["warnings"].size(), warnings.size()) << c.what;
      }
    }
  }
}

// Throws in all its methods.
class ThrowingValidator final : public admission::Validator<corev1::ConfigMap> {
 public:
  Result<void> ValidateCreate(const admission::Request&, const corev1::ConfigMap&,
                              admission::Warnings&) override {
    throw std::runtime_error("at CREATE");
  }
  Result<void> ValidateUpdate(const admission::Request&, const corev1::ConfigMap&,
                              const corev1::ConfigMap&, admission::Warnings&) override {
    throw std::runtime_error("at UPDATE");
  }
  Result<void> ValidateDelete(const admission::Request&, const corev1::ConfigMap&,
                              admission::Warnings&) override {
    throw std::runtime_error("at DELETE");
  }
};

TEST_F(AdmissionTest, DefaulterOrValidatorThrows_IsCode500_WH01) {
  server_.RegisterValidator<corev1::ConfigMap>(std::make_shared<ThrowingValidator>()).OrExit();
  const admission::Defaulter<corev1::ConfigMap> defaulter =
      [](const admission::Request& request, corev1::ConfigMap::Mutable&) -> Result<void> {
    throw std::runtime_error("at " + request.operation);
  };
  server_.Register("/default", admission::WithDefaulter<corev1::ConfigMap>(defaulter)).OrExit();
  for (const std::string operation : {"CREATE", "UPDATE", "DELETE"}) {
    for (const char* path : {"/validate--v1-configmap", "/default"}) {
      const bool defaults_none = path == std::string_view("/default") && operation == "DELETE";
      const json::Value review = json::Value::MakeObject(
          {{"operation", operation}, {"object", Map("a")}, {"oldObject", Map("a")}});
      const json::Value response = Ask(path, Review(review)).body["response"];
      EXPECT_EQ(response["allowed"].AsBool(), defaults_none) << path << operation;
      if (defaults_none) continue;
      EXPECT_EQ(response.At("/status/code").AsInt64(), 500) << path << operation;
      EXPECT_EQ(response.At("/status/message").StringOrEmpty(),
                "panic: at " + operation + " [recovered]");
    }
  }
  EXPECT_THAT(metrics_->Text(), ::testing::HasSubstr("controller_runtime_webhook_panics_total 5"));
}

TEST_F(AdmissionTest, AnObjectNeedNotSayItsKind_WH01) {
  server_.RegisterValidator<corev1::ConfigMap>(std::make_shared<NamedValidator>()).OrExit();
  json::Value plain = Map("good");
  plain.Erase("kind");
  plain.Erase("apiVersion");
  EXPECT_EQ(Validate("CREATE", plain, nullptr)["allowed"].AsBool(), true);
  plain.Ensure("metadata").Set("name", "bad");
  EXPECT_EQ(Validate("CREATE", plain, nullptr)["allowed"].AsBool(), false);
}

TEST_F(AdmissionTest, MissingOrWrongObject_IsCode400_WH01) {
  server_.RegisterValidator<corev1::ConfigMap>(std::make_shared<NamedValidator>()).OrExit();
  EXPECT_EQ(Validate("CREATE", nullptr, nullptr).At("/status/code").AsInt64(), 400);
  json::Value other = Map("good");
  other.Set("kind", "Secret");
  const json::Value refused = Validate("CREATE", other, nullptr);
  EXPECT_EQ(refused.At("/status/code").AsInt64(), 400);
  EXPECT_THAT(refused.At("/status/message").StringOrEmpty(),
              HasSubstr("expected a ConfigMap of v1 and got a Secret of v1"));
  json::Value malformed = Map("good");
  malformed.Set("data", 5);
  EXPECT_EQ(Validate("UPDATE", Map("good"), malformed).At("/status/code").AsInt64(), 400);
}

json::Value Pod() {
  return json::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{}},
    "spec":{"containers":[{"name":"a","image":"i","future":{"x":1}},{"name":"b","future":2}],
    "novelty":true}})")
      .OrExit();
}

json::Value PatchedBy(const WebhookReply& reply) {
  json::Value object = Pod();
  EXPECT_TRUE(json::ApplyPatch(reply.Patch(), object).ok()) << reply.text;
  return object;
}

TEST_F(AdmissionTest, ADefaulterPatchesWhatItChanged_WH01) {
  server_
      .RegisterDefaulter<corev1::Pod>(
          [](const admission::Request&, corev1::Pod::Mutable& pod) -> Result<void> {
            pod.metadata.labels["tier"] = "back";
            pod.spec.containers[1].image = "j";
            return {};
          })
      .OrExit();
  const WebhookReply reply = Default("CREATE", Pod());
  json::Value expected = Pod();
  expected.Ensure("metadata", "labels").Set("tier", "back");
  expected.Ensure("spec", "containers", 1).Set("image", "j");
  EXPECT_EQ(PatchedBy(reply), expected);
  EXPECT_EQ(reply.Patch().size(), 2U) << reply.Patch().Dump();
  const WebhookReply deleted = Default("DELETE", nullptr);
  EXPECT_TRUE(deleted.Patch().is_null());
  EXPECT_EQ(deleted.body.At("/response/allowed").AsBool(), true);
  EXPECT_EQ(deleted.body.At("/response/status/code").AsInt64(), 200);
  EXPECT_EQ(Ask("/validate--v1-pod", "{}").status, 404) << "nobody validates";
}

TEST_F(AdmissionTest, UnknownFields_StayThoughItemsComeAndGo_WH01) {
  server_
      .RegisterDefaulter<corev1::Pod>(
          [](const admission::Request&, corev1::Pod::Mutable& pod) -> Result<void> {
            pod.spec.containers.erase(pod.spec.containers.begin());
            pod.spec.containers.emplace_back().name = "c";
            pod.spec.containers.emplace_back().name = "d";
            return {};
          })
      .OrExit();
  const json::Value object = PatchedBy(Default("CREATE", Pod()));
  EXPECT_EQ(object.At("/spec/novelty").AsBool(), true);
  EXPECT_EQ(object.At("/spec/containers").size(), 3U);
  EXPECT_EQ(object.At("/spec/containers/0").Dump(), R"({"name":"b","future":2})");
  EXPECT_EQ(object.At("/spec/containers/2/name").StringOrEmpty(), "d");
}

// Struct for an older version of its kind.
struct Gadget {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  std::string color{};
  std::int64_t replicas{};
  std::int64_t totalReplicas{};
  static constexpr auto kFields =
      std::tuple(Field("color", &Gadget::color), Field("replicas", &Gadget::replicas).OmitEmpty(),
                 Field("totalReplicas", &Gadget::totalReplicas).OmitEmpty());
};

TEST_F(AdmissionTest, UnknownFields_StayUnlessRemovalIsRequested_WH01) {
  using Gadgets = CustomResource<Gadget>;
  const json::Value gadget =
      json::Parse(R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"},
        "weight":3})")
          .OrExit();
  const auto paint = [](const admission::Request&, Gadgets::Mutable& object) -> Result<void> {
    object.color = "red";
    return {};
  };
  server_.RegisterDefaulter<Gadgets>(paint).OrExit();
  server_
      .Register("/exact", admission::WithDefaulter<Gadgets>(paint, {.remove_unknown_fields = true}))
      .OrExit();
  const std::string review =
      Review(json::Value::MakeObject({{"operation", "CREATE"}, {"object", gadget}}));
  EXPECT_EQ(Ask("/mutate-example-com-v1-gadget", review).Patch().Dump(),
            R"([{"op":"add","path":"/color","value":"red"}])");
  EXPECT_EQ(Ask("/exact", review).Patch().Dump(),
            R"([{"op":"remove","path":"/weight"},{"op":"add","path":"/color","value":"red"}])");
}

TEST_F(AdmissionTest, AFieldThatIsEmptiedIsRemoved_WH01) {
  using Gadgets = CustomResource<Gadget>;
  const auto fill = [](const admission::Request&, Gadgets::Mutable& object) -> Result<void> {
    object.color = "red";
    if (object.replicas < 2) object.replicas = 2;
    object.totalReplicas = 0;
    return {};
  };
  server_.Register("/custom-path", admission::WithDefaulter<Gadgets>(fill)).OrExit();
  server_
      .Register("/exact", admission::WithDefaulter<Gadgets>(fill, {.remove_unknown_fields = true}))
      .OrExit();
  const auto patch = [this](const char* path, const char* object) {
    const WebhookReply reply =
        Ask(path, Review(json::Value::MakeObject(
                      {{"operation", "CREATE"}, {"object", json::Parse(object).OrExit()}})));
    EXPECT_EQ(reply.body.At("/response/allowed").AsBool(), true) << reply.text;
    return reply.Patch();
  };
  const auto operation = [](const char* text) { return json::Parse(text).OrExit(); };
  const json::Value color = operation(R"({"op":"add","path":"/color","value":"red"})");
  const json::Value replicas = operation(R"({"op":"add","path":"/replicas","value":2})");
  const json::Value unknown = operation(R"({"op":"remove","path":"/newField"})");
  const json::Value total = operation(R"({"op":"remove","path":"/totalReplicas"})");
  const char* const fresh =
      R"({"metadata":{"generateName":"a-"},"newField":"foo","totalReplicas":5})";
  EXPECT_THAT(patch("/custom-path", fresh).items(), UnorderedElementsAre(color, replicas, total));
  EXPECT_THAT(patch("/exact", fresh).items(),
              UnorderedElementsAre(color, replicas, unknown, total));
  const char* const filled =
      R"({"metadata":{"generateName":"a-"},"color":"red","replicas":2,"totalReplicas":0})";
  EXPECT_THAT(patch("/exact", filled).items(), UnorderedElementsAre(total))
      << "which a struct of zeroes leaves out";
  EXPECT_EQ(Ask("/mutate-example-com-v1-gadget", "{}").status, 404) << "it has another path";
}

TEST_F(AdmissionTest, DefaulterWithoutChange_SendsNoPatch_ErrorRefuses_WH01) {
  server_
      .RegisterDefaulter<corev1::Pod>(
          [](const admission::Request& request, corev1::Pod::Mutable&) -> Result<void> {
            if (request.operation == "UPDATE") return Error(Reason::kConflict, "not now");
            return {};
          })
      .OrExit();
  const WebhookReply unchanged = Default("CREATE", Pod());
  EXPECT_EQ(unchanged.body.At("/response/allowed").AsBool(), true);
  EXPECT_FALSE(unchanged.body["response"].contains("patch"));
  EXPECT_EQ(Default("UPDATE", Pod()).body.At("/response/status/code").AsInt64(), 409);
  EXPECT_EQ(Default("CREATE", nullptr).body.At("/response/status/code").AsInt64(), 400);
}

json::Value Json(const char* text) { return json::Parse(text).OrExit(); }

TEST(WithChanges, RemovedMember_IsGone_UnknownMembersStay) {
  EXPECT_EQ(internal::WithChanges(Json(R"({"a":1,"b":{"c":1,"x":9},"y":0})"),
                                  Json(R"({"a":1,"b":{"c":1}})"), Json(R"({"b":{"c":2}})")),
            Json(R"({"b":{"c":2,"x":9},"y":0})"));
}

struct ListChange {
  const char* what;
  const char* original;
  const char* before;
  const char* after;
  const char* made;
};

TEST(WithChanges, UnknownMembers_StayWithTheirListItem) {
  for (const ListChange& one : std::vector<ListChange>{
           {"sorted", R"([{"n":"a","new":1},{"n":"b","new":2}])", R"([{"n":"a"},{"n":"b"}])",
            R"([{"n":"b"},{"n":"a"}])", R"([{"n":"b","new":2},{"n":"a","new":1}])"},
           {"one removed and one appended", R"([{"n":"a","new":1},{"n":"b","new":2}])",
            R"([{"n":"a"},{"n":"b"}])", R"([{"n":"b"},{"n":"c"}])",
            R"([{"n":"b","new":2},{"n":"c"}])"},
           {"one put in front", R"([{"n":"a","new":1},{"n":"b","new":2}])",
            R"([{"n":"a"},{"n":"b"}])", R"([{"n":"c"},{"n":"a"},{"n":"b"}])",
            R"([{"n":"c"},{"n":"a","new":1},{"n":"b","new":2}])"},
           {"one removed", R"([{"n":"a","new":1},{"n":"b","new":2}])", R"([{"n":"a"},{"n":"b"}])",
            R"([{"n":"b"}])", R"([{"n":"b","new":2}])"},
           {"each changed", R"([{"n":"a","new":1},{"n":"b","new":2}])", R"([{"n":"a"},{"n":"b"}])",
            R"([{"n":"a","x":0},{"n":"b","x":0}])",
            R"([{"n":"a","new":1,"x":0},{"n":"b","new":2,"x":0}])"},
           {"two swapped and one changed", R"([{"n":"a","new":1},{"n":"b","new":2},
             {"n":"c","new":3}])",
            R"([{"n":"a"},{"n":"b"},{"n":"c"}])", R"([{"n":"b"},{"n":"a"},{"n":"c","x":0}])",
            R"([{"n":"b","new":2},{"n":"a","new":1},{"n":"c","new":3,"x":0}])"},
           {"members in another order", R"([{"n":"a","new":1},{"n":"b","m":0,"new":2}])",
            R"([{"n":"a"},{"n":"b","m":0}])", R"([{"m":0,"n":"b"},{"n":"a"}])",
            R"([{"n":"b","m":0,"new":2},{"n":"a","new":1}])"}}) {
    EXPECT_EQ(internal::WithChanges(Json(one.original), Json(one.before), Json(one.after)),
              Json(one.made))
        << one.what;
  }
}

TEST(WithChanges, EqualItems_AreEachMatchedOnce) {
  const json::Value original = Json(R"([{"n":"a","new":1},{"n":"a","new":2},{"n":"b","new":3}])");
  const json::Value before = Json(R"([{"n":"a"},{"n":"a"},{"n":"b"}])");
  for (const auto& [after, made] : std::vector<std::pair<const char*, const char*>>{
           {R"([{"n":"b"},{"n":"a"},{"n":"a"}])",
            R"([{"n":"b","new":3},{"n":"a","new":2},{"n":"a","new":1}])"},
           {R"([{"n":"a"},{"n":"a"},{"n":"a"},{"n":"b"}])",
            R"([{"n":"a","new":1},{"n":"a","new":2},{"n":"a"},{"n":"b","new":3}])"},
           {R"([{"n":"a"},{"n":"b"}])", R"([{"n":"a","new":1},{"n":"b","new":3}])"},
           // A changed item may have been equal to others before, or become equal to others.
           {R"([{"n":"a"},{"n":"x"},{"n":"b"}])",
            R"([{"n":"a","new":1},{"n":"x","new":2},{"n":"b","new":3}])"},
           {R"([{"n":"b"},{"n":"a"},{"n":"b"}])",
            R"([{"n":"b","new":1},{"n":"a","new":2},{"n":"b","new":3}])"}}) {
    EXPECT_EQ(internal::WithChanges(original, before, Json(after)), Json(made)) << after;
  }
}

TEST(WithChanges, ListsOfScalars_AreTakenAsChanged) {
  const json::Value before = Json(R"(["a","b","b",1])");
  for (const char* const after : {R"(["b","a","b",1])", R"(["a","b"])", R"(["c","a","b","b",1])",
                                  R"(["a","x","b",2])", "[]"}) {
    EXPECT_EQ(internal::WithChanges(before, before, Json(after)), Json(after));
  }
}

TEST(WithChanges, ListOfOtherLengthThanStructs_IsReplaced) {
  const json::Value after = Json(R"([{"n":"b"}])");
  EXPECT_EQ(
      internal::WithChanges(Json(R"([{"n":"a","new":1},null])"), Json(R"([{"n":"a"}])"), after),
      after);
}

}  // namespace
}  // namespace kinformer::testing
