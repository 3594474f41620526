#include "apiserver/conversion/conversion_review.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "wire/json_cost.h"

namespace kinformer::apiserver {
namespace {

// Replaces ' by ".
std::string Text(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

json::Value Quoted(const std::string& text) { return json::Parse(Text(text)).OrExit(); }

ConversionQuestion Question(const char* review = "apiextensions.k8s.io/v1") {
  return {.review = review,
          .uid = "u1",
          .desired = "g.io/v2",
          .objects = {Quoted("{'apiVersion':'g.io/v1','kind':'Foo','metadata':{'name':'a',"
                             "'namespace':'ns','uid':'i','resourceVersion':'7','generation':3,"
                             "'labels':{'l':'1'},'annotations':{'n':'1'}},'spec':{'x':1}}")}};
}

// Returns a good answer with this object.
std::string With(const std::string& object) {
  return "{'kind':'ConversionReview','apiVersion':'apiextensions.k8s.io/v1','response':{'uid':'u1',"
         "'result':{'status':'Success'},'convertedObjects':[" +
         object + "]}}";
}

constexpr const char* kHead =
    "{'apiVersion':'g.io/v2','kind':'Foo','metadata':{'name':'a','namespace':'ns','uid':'i'";

// Returns the converted object, or what follows the beginning of the error.
std::string Read(const std::string& body, const char* review = "apiextensions.k8s.io/v1") {
  const auto read = ReadConversionAnswer(Text(body), Question(review));
  if (read.ok()) return read->size() == 1 ? read->front().Dump() : "another number";
  EXPECT_EQ(read.error().http_status(), 500);
  EXPECT_EQ(read.error().reason(), Reason::kUnknown);
  const std::string& message = read.error().message();
  const std::string head = "conversion webhook for g.io/v1, Kind=Foo ";
  EXPECT_EQ(message.substr(0, head.size()), head);
  return message.substr(head.size());
}

TEST(ConversionReviews, Request_HasTheObjectsWithoutTheirVersion) {
  EXPECT_EQ(ConversionReviewText(Question()),
            Text("{'kind':'ConversionReview','apiVersion':'apiextensions.k8s.io/v1','request':{"
                 "'uid':'u1','desiredAPIVersion':'g.io/v2','objects':[{'apiVersion':'g.io/v1',"
                 "'kind':'Foo','metadata':{'name':'a','namespace':'ns','uid':'i','generation':3,"
                 "'labels':{'l':'1'},'annotations':{'n':'1'}},'spec':{'x':1}}]}}"));
}

TEST(ConversionReviews, Object_KeepsItsMetadataExceptLabelsAndAnnotations) {
  const std::string kept =
      "{'name':'a','namespace':'ns','uid':'i','resourceVersion':'7','generation':3";
  const std::string head = "{'apiVersion':'g.io/v2','kind':'Foo','metadata':";
  EXPECT_EQ(Read(With(kHead + std::string(",'labels':{'m':'2'},'annotations':{'o':'3'},"
                                          "'generation':9,'finalizers':['f']},'spec':{'z':2}}"))),
            Text(head + kept + ",'labels':{'m':'2'},'annotations':{'o':'3'}},'spec':{'z':2}}"));
  EXPECT_EQ(Read(With(kHead + std::string("}}"))), Text(head + kept + "}}"));
  EXPECT_EQ(Read(With(kHead + std::string(",'labels':null,'annotations':{}}}"))),
            Text(head + kept + ",'annotations':{}}}"));
}

TEST(ConversionReviews, Answers_ThatAreRefused) {
  const auto envelope = [](const std::string& response) {
    return "{'kind':'ConversionReview','apiVersion':'apiextensions.k8s.io/v1','response':" +
           response + "}";
  };
  struct Row {
    std::string body;
    std::string error;
  };
  const std::string object = "returned invalid object at index 0: ";
  const std::string expected =
      "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ";
  const std::vector<Row> rows = {
      {"{}", expected + ", Kind="},
      {"{'kind':'Other','apiVersion':'apiextensions.k8s.io/v1'}",
       expected + "apiextensions.k8s.io/v1, Kind=Other"},
      {"{'kind':'ConversionReview','apiVersion':'v1'}", expected + "v1, Kind=ConversionReview"},
      {envelope("null"), "failed: no response provided"},
      {envelope("{}"), "failed: expected response.uid=\"u1\", got \"\""},
      {envelope("{'uid':'u2'}"), "failed: expected response.uid=\"u1\", got \"u2\""},
      {envelope("{'uid':'u1'}"), "failed: response.result.status was '', not 'Success'"},
      {envelope("{'uid':'u1','result':{'status':'Failure','message':'because'}}"),
       "failed: because"},
      {envelope("{'uid':'u1','result':{'status':'Success'}}"), "returned 0 objects, expected 1"},
      {With("1,2"), "returned 2 objects, expected 1"},
      {With("null"), object + "it is a <nil>, not an object"},
      {With("'a'"), object + "it is a string, not an object"},
      {With("[]"), object + "it is a []interface {}, not an object"},
      {With("true"), object + "it is a bool, not an object"},
      {With("1"), object + "it is a int64, not an object"},
      {With("1.5"), object + "it is a float64, not an object"},
      {With("{'apiVersion':'g.io/v1','kind':'Foo'}"),
       object + "invalid groupVersion (expected g.io/v2, received g.io/v1)"},
      {With("{'apiVersion':'g.io/v2','kind':'Bar'}"),
       object + "invalid kind (expected Foo, received Bar)"},
      {With("{'apiVersion':'g.io/v2','kind':'Foo','metadata':{'name':'b'}}"),
       "returned invalid object: must have the same name: a != b"},
      {With("{'apiVersion':'g.io/v2','kind':'Foo','metadata':{'name':'a','namespace':'b'}}"),
       "returned invalid object: must have the same namespace: ns != b"},
      {With("{'apiVersion':'g.io/v2','kind':'Foo','metadata':{'name':'a','namespace':'ns'}}"),
       "returned invalid object: must have the same UID: i != "},
      {With(kHead + std::string(",'labels':'x'}}")),
       "returned invalid metadata: invalid metadata.labels of type string in converted object"},
      {With(kHead + std::string(",'annotations':{'a':'b','c':{}}}}")),
       "returned invalid metadata: metadata.annotations[c] must be a string, but is "
       "map[string]interface {} in converted object"},
  };
  for (const Row& row : rows) EXPECT_EQ(Read(row.body), row.error) << row.body;
  EXPECT_EQ(Read("{").substr(0, 8), "failed: ");
  const std::string one = Read(With(kHead + std::string(",'labels':{'a b':'c'}}}")));
  EXPECT_EQ(one.rfind("returned invalid metadata: metadata.labels: Invalid value: \"a b\": ", 0),
            0U)
      << one;
  const std::string two = Read(With(kHead + std::string(",'labels':{'a b':'c','d e':'f'}}}")));
  EXPECT_EQ(two.rfind("returned invalid metadata: [metadata.labels: Invalid value: \"a b\": ", 0),
            0U)
      << two;
  EXPECT_NE(two.find(", metadata.labels: Invalid value: \"d e\": "), std::string::npos) << two;
  EXPECT_EQ(two.back(), ']');
}

// Webhooks of v1beta1 never had to return the uid.
TEST(ConversionReviews, OldWebhook_NeedsNoUid) {
  const std::string body =
      "{'kind':'ConversionReview','apiVersion':'apiextensions.k8s.io/v1beta1','response':{"
      "'result':{'status':'Success'},'convertedObjects':[" +
      std::string(kHead) + "}}]}}";
  EXPECT_EQ(Read(body, "apiextensions.k8s.io/v1beta1").substr(0, 24),
            Text("{'apiVersion':'g.io/v2',"));
}

TEST(ConversionReviews, Object_TakesAtMost16MebibytesOfMemory) {
  const auto with_text = [](std::size_t bytes) {
    return Read(With(kHead + std::string("},'spec':'") + std::string(bytes, 'x') + "'}"));
  };
  constexpr std::size_t kMost = std::size_t{16} << 20;
  const std::size_t rest = json::CostOf(Quoted(kHead + std::string("},'spec':''}")));
  EXPECT_EQ(with_text(kMost - rest).substr(0, 1), "{");
  EXPECT_EQ(with_text(kMost - rest + 1).substr(0, 78),
            "returned invalid object at index 0: it takes more than 16 MiB of memory: a con");
}

}  // namespace
}  // namespace kinformer::apiserver
