// Changes of objects by defaulters, and ways between versions, at their edges.

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/internal/admission_object.h"
#include "kinformer/webhook/conversion.h"

#include "controller/webhook/asked_for_test.h"

namespace kinformer::testing {
namespace {

json::Value Json(const std::string& text) { return json::Parse(text).OrExit(); }

struct Change {
  const char* original;
  const char* before;
  const char* after;
  const char* made;
};

TEST(WithChanges, ValuesOfOtherForms_AreReplaced) {
  for (const Change& row : std::vector<Change>{
           // Equal values stay as they are in the original, whatever form that has.
           {"[1,2]", "[1]", "[1]", "[1,2]"},
           {R"("1000m")", R"("1")", R"("1")", R"("1000m")"},
           {R"({"x":1})", "{}", "{}", R"({"x":1})"},
           // A value of another form replaces the original.
           {R"([{"x":1}])", "[1]", R"({"a":1})", R"({"a":1})"},
           {R"({"x":1})", R"({"a":1})", "[1]", "[1]"},
           {R"({"x":1})", R"({"a":1})", "5", "5"},
           {R"({"x":1})", "5", R"({"a":1})", R"({"a":1})"},
           {"5", R"({"a":1,"b":1})", R"({"a":2,"b":1})", R"({"a":2,"b":1})"},
           {"5", "[1]", "[2]", "[2]"},
           // A member that was null or absent.
           {R"({"x":1})", "{}", R"({"a":null})", R"({"x":1,"a":null})"},
           {R"({"x":1,"a":2})", R"({"a":2})", R"({"a":null})", R"({"x":1,"a":null})"},
           // Items that come again more often than before.
           {R"([{"n":"a","x":1},{"n":"b","x":2}])", R"([{"n":"a"},{"n":"b"}])",
            R"([{"n":"b"},{"n":"a"},{"n":"a"}])", R"([{"n":"b","x":2},{"n":"a","x":1},{"n":"a"}])"},
           {R"([{"n":"a","x":1}])", R"([{"n":"a"}])", "[]", "[]"}}) {
    EXPECT_EQ(internal::WithChanges(Json(row.original), Json(row.before), Json(row.after)).Dump(),
              Json(row.made).Dump())
        << row.original << " " << row.before << " " << row.after;
  }
}

TEST(ChangedObjects, TextThatIsNoJson_IsCode500) {
  const json::Value original = Json("{}");
  for (const auto& [before, after] :
       std::vector<std::pair<std::string, std::string>>{{"{", "{}"}, {"{}", "{"}}) {
    const admission::Response response =
        internal::ChangedObjectResponse(original, before, after, false);
    EXPECT_FALSE(response.allowed);
    EXPECT_EQ(response.code, 500);
    EXPECT_NE(response.message, "");
  }
}

TEST(ChangedObjects, Exact_RemovesUnknownFieldsButNotTheKind) {
  const auto patch = [](const char* original, bool exactly) {
    return internal::ChangedObjectResponse(Json(original),
                                           R"({"apiVersion":"v1","kind":"Pod","a":1})",
                                           R"({"apiVersion":"v1","kind":"Pod","a":1})", exactly)
        .patch.Dump();
  };
  EXPECT_EQ(patch(R"({"a":1,"x":2})", false), "null");
  EXPECT_EQ(patch(R"({"a":1,"x":2})", true), R"([{"op":"remove","path":"/x"}])");
  EXPECT_EQ(patch(R"({"apiVersion":"v1","kind":"Pod","a":1})", true), "null");
}

TEST(AdmissionObjects, KindAndVersion_AreThoseOfTheHandlerOrAbsent) {
  const std::string hint =
      ": do the rules of the webhook's configuration name another resource than its handler is "
      "for?";
  for (const auto& [object, error] : std::vector<std::pair<std::string, std::string>>{
           {R"({})", ""},
           {R"({"kind":"Pod"})", ""},
           {R"({"apiVersion":"v1"})", ""},
           {R"({"kind":"Pod","apiVersion":"v1"})", ""},
           {R"({"kind":"Node","apiVersion":"v1"})",
            "expected a Pod of v1 and got a Node of v1" + hint},
           {R"({"kind":"Pod","apiVersion":"v2"})",
            "expected a Pod of v1 and got a Pod of v2" + hint},
           {R"({"kind":"Node"})", "expected a Pod of v1 and got a Node of " + hint},
           {R"({"apiVersion":"v2"})", "expected a Pod of v1 and got a  of v2" + hint},
           {"null", "there is no content to decode"},
           {"[]", "there is no content to decode"}}) {
    const auto read = internal::ReadAdmissionObject(corev1::Pod::kind_info(), Json(object));
    EXPECT_EQ(read ? "" : read.error().ToString(), error.empty() ? "" : "BadRequest: " + error)
        << object;
  }
  const auto malformed =
      internal::ReadAdmissionObject(corev1::Pod::kind_info(), Json(R"({"metadata":5})"));
  ASSERT_FALSE(malformed.ok());
  EXPECT_EQ(malformed.error().reason(), Reason::kBadRequest);
}

GroupVersionKind Widget(const std::string& version) { return {"example.com", version, "Widget"}; }

Conversions::Function Adds(const std::string& step) {
  return [step](const json::Value& object) -> Result<json::Value> {
    json::Value made = object;
    made.Set("steps", object["steps"].StringOrEmpty() + step);
    return made;
  };
}

Conversions::Function Fails(const std::string& step) {
  return [step](const json::Value&) -> Result<json::Value> {
    return Error(Reason::kInvalid, step + " fails");
  };
}

json::Value Object(const std::string& version) {
  return Json(R"({"apiVersion":"example.com/)" + version +
              R"(","kind":"Widget","metadata":{"name":"a","labels":{"l":"1"}}})");
}

// Ways: v1 to a dead end, v1 by way of v3 to v4, and back from v4 with failures.
TEST(ConversionWays, HubIsFound_FailuresOfBothStepsPassOn) {
  Conversions conversions;
  conversions.Add(Widget("v1"), Widget("v2"), Adds("dead end ")).OrExit();
  conversions.Add(Widget("v1"), Widget("v3"), Adds("first ")).OrExit();
  conversions.Add(Widget("v3"), Widget("v4"), Adds("second")).OrExit();
  conversions.Add(Widget("v5"), Widget("v3"), Fails("first")).OrExit();
  conversions.Add(Widget("v3"), Widget("v6"), Fails("second")).OrExit();
  const json::Value made = conversions.Convert(Object("v1"), "example.com/v4").OrExit();
  EXPECT_EQ(made["steps"].StringOrEmpty(), "first second");
  EXPECT_EQ(made["apiVersion"].StringOrEmpty(), "example.com/v4");
  EXPECT_EQ(made["kind"].StringOrEmpty(), "Widget");
  const auto error = [&](const char* from, const char* to) {
    return conversions.Convert(Object(from), to).error().ToString();
  };
  EXPECT_EQ(error("v5", "example.com/v3"), "Invalid: first fails");
  EXPECT_EQ(error("v5", "example.com/v4"), "Invalid: first fails");
  EXPECT_EQ(error("v1", "example.com/v6"), "Invalid: second fails");
  const std::string no_way = "InvalidArgument: there is no conversion of Widget from example.com/";
  EXPECT_EQ(error("v1", "example.com/v9"),
            no_way + "v1 to example.com/v9: add one to the Conversions");
  EXPECT_EQ(error("v9", "example.com/v1"),
            no_way + "v9 to example.com/v1: add one to the Conversions");
  EXPECT_EQ(error("v1", "other.com/v3"), no_way + "v1 to other.com/v3: add one to the Conversions");
  EXPECT_EQ(error("v1", "v3"), no_way + "v1 to v3: add one to the Conversions");
}

TEST(ConversionWays, Metadata_TakesLabelsAndAnnotationsOnly) {
  Conversions conversions;
  conversions
      .Add(Widget("v1"), Widget("v2"),
           [](const json::Value&) -> Result<json::Value> {
             return Json(R"({"metadata":{"name":"other","annotations":{"n":"2"}},"x":1})");
           })
      .OrExit();
  EXPECT_EQ(conversions.Convert(Object("v1"), "example.com/v2").OrExit(),
            Json(R"({"apiVersion":"example.com/v2","kind":"Widget","x":1,
                     "metadata":{"name":"a","annotations":{"n":"2"}}})"));
}

TEST(ConversionWays, Conversion_IsBetweenVersionsOfOneKind) {
  for (const auto& [to, text] : std::vector<std::pair<GroupVersionKind, std::string>>{
           {{"other.com", "v2", "Widget"}, "to a Widget of other.com/v2"},
           {{"example.com", "v2", "Gadget"}, "to a Gadget of example.com/v2"},
           {{"example.com", "v1", "Widget"}, "to a Widget of example.com/v1"}}) {
    Conversions conversions;
    EXPECT_EQ(conversions.Add(Widget("v1"), to, Adds("x")).error().ToString(),
              "InvalidArgument: a conversion is between two versions of one kind, not from a "
              "Widget of example.com/v1 " +
                  text);
  }
  Conversions conversions;
  conversions.Add(Widget("v1"), Widget("v2"), Adds("x")).OrExit();
  EXPECT_EQ(conversions.Add(Widget("v1"), Widget("v2"), Adds("x")).error().ToString(),
            "AlreadyExists: there is a conversion of Widget from example.com/v1 to example.com/v2");
}

class RedactedTokens : public WebhookTest {};

TEST_F(RedactedTokens, Token_IsReplacedWhereverItStands) {
  int number = 0;
  for (const auto& [token, said, shown] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"foobar", "foobar, foobarfoobar", "[...], [...][...]"},
           {"foobar", "foo bar", "foo bar"},
           {".", "a.b.c", "a[...]b[...]c"}}) {
    const std::string path = "/" + std::to_string(++number);
    server_
        .RegisterAuthentication(path,
                                [text = said](const authentication::Request&) {
                                  return authentication::Unauthenticated(text);
                                })
        .OrExit();
    EXPECT_EQ(Ask(path, R"({"spec":{"token":")" + token + R"("}})")
                  .body.At("/status/error")
                  .StringOrEmpty(),
              shown);
  }
}

}  // namespace
}  // namespace kinformer::testing
