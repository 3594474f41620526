#include "apiserver/request/negotiation.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

// Returns "json", "protobuf partial v1", "yaml pretty" ...; or the code with which the server
// refuses.
std::string Chosen(std::string_view accept, const Offer& offer) {
  const Result<OutputFormat> format = Negotiate(accept, offer);
  if (!format) return std::to_string(format.error().http_status());
  std::string out;
  switch (format->media) {
    case MediaType::kJson:
      out = "json";
      break;
    case MediaType::kYaml:
      out = "yaml";
      break;
    case MediaType::kProtobuf:
      out = "protobuf";
      break;
  }
  if (format->form == Form::kTable) out += " table";
  if (format->form == Form::kPartialMetadata) out += " partial";
  if (format->form_version != "v1" || format->form != Form::kObject) {
    out += " " + format->form_version;
  }
  if (format->pretty) out += " pretty";
  EXPECT_EQ(format->include, IncludeObject::kMetadata);
  return out;
}

constexpr Offer kGet{.protobuf = true};
constexpr Offer kList{.protobuf = true, .list = true};
constexpr Offer kWatch{.protobuf = true, .list = true, .watch = true};

TEST(Negotiation, Accept_SelectsTheFirstFormatThatIsOffered) {
  struct Case {
    std::string_view accept;
    std::string_view chosen;
  };
  const std::vector<Case> cases = {
      {"", "json"},
      {" \t ", "json"},
      {"*/*", "json"},
      {"application/*", "json"},
      {"application/json", "json"},
      {"application/yaml", "yaml"},
      {"application/vnd.kubernetes.protobuf", "protobuf"},
      {"text/html", "406"},
      {"text/*", "406"},
      {",", "406"},
      {"text/html, application/yaml, application/json", "yaml"},
      {" , \tapplication/yaml\t,", "yaml"},
      {"application/json;q=0.5,application/yaml;q=0.6", "yaml"},
      {"application/json;q=0.6,application/yaml;q=0.5", "json"},
      {"application/yaml;q=0.5,application/json;q=0.5", "yaml"},
      {"application/json;q=0.25,application/yaml;q=0.3", "yaml"},
      {"application/json;q=0.29,application/yaml;q=0.3", "yaml"},
      {"application/json;q=0.09,application/yaml;q=0.1", "yaml"},
      {"application/json;q=9,application/yaml;q=10", "yaml"},
      {"application/json;q=2,application/yaml;q=12", "yaml"},
      {"application/json;q=1.9,application/yaml;q=10.1", "yaml"},
      {"application/json;q=0.9,application/yaml", "yaml"},
      {"application/json;q=0.9,application/yaml;q=x", "yaml"},
      {"application/yaml;q=-1,application/json;q=0.9", "yaml"},
      {"application/json;q=0,application/yaml;q=0.1", "yaml"},
      {"application/json;q=0", "406"},
      {"application/json;q=0.0", "406"},
      {"application/json;pretty=1", "json pretty"},
      {"application/json;pretty=true", "json pretty"},
      {"application/json;pretty", "json pretty"},
      {"application/json;pretty=0", "json"},
      {"application/json;pretty=false", "json"},
      {"application/json ; charset=utf-8 ; pretty = 1", "json pretty"},
  };
  for (const Case& c : cases) EXPECT_EQ(Chosen(c.accept, kGet), c.chosen) << c.accept;
}

TEST(Negotiation, Table_IsMadeInJsonAndYamlWhereItIsOffered) {
  constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
  EXPECT_EQ(Chosen(kTable, kGet), "json table v1");
  EXPECT_EQ(Chosen(kTable, kList), "json table v1");
  EXPECT_EQ(Chosen(kTable, kWatch), "json table v1");
  EXPECT_EQ(Chosen("application/json;as=Table;v=v1beta1;g=meta.k8s.io", kGet),
            "json table v1beta1");
  EXPECT_EQ(Chosen("application/yaml;as=Table;v=v1;g=meta.k8s.io", kGet), "yaml table v1");
  EXPECT_EQ(Chosen("application/yaml;as=Table;v=v1;g=meta.k8s.io", kWatch), "406");
  EXPECT_EQ(Chosen("application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", kGet), "406");
  EXPECT_EQ(Chosen("application/json;as=Table;v=v2;g=meta.k8s.io", kGet), "406");
  EXPECT_EQ(Chosen("application/json;as=Table;v=v1;g=apps", kGet), "406");
  EXPECT_EQ(Chosen("application/json;as=Table;v=v1", kGet), "406");
  EXPECT_EQ(Chosen("application/json;as=Table;g=meta.k8s.io", kGet), "406");
  EXPECT_EQ(Chosen("application/json;as=Other;v=v1;g=meta.k8s.io", kGet), "406");
  EXPECT_EQ(Chosen("application/json;as=Table;v=v2;g=meta.k8s.io,application/json", kGet), "json");
  EXPECT_EQ(Chosen(kTable, {.table = false}), "406");
  EXPECT_EQ(Chosen(kTable, {.transforms = false}), "406");
  EXPECT_EQ(Chosen(std::string(kTable) + ";pretty=1", kGet), "json table v1 pretty");
}

TEST(Negotiation, PartialMetadata_HasAnotherNameForLists) {
  const auto as = [](std::string_view type, std::string_view name) {
    return std::string(type) + ";as=" + std::string(name) + ";v=v1;g=meta.k8s.io";
  };
  const std::string one = as("application/json", "PartialObjectMetadata");
  const std::string many = as("application/json", "PartialObjectMetadataList");
  EXPECT_EQ(Chosen(one, kGet), "json partial v1");
  EXPECT_EQ(Chosen(many, kGet), "406");
  EXPECT_EQ(Chosen(one, kList), "406");
  EXPECT_EQ(Chosen(many, kList), "json partial v1");
  EXPECT_EQ(Chosen(one, kWatch), "json partial v1");
  EXPECT_EQ(Chosen(many, kWatch), "json partial v1");
  EXPECT_EQ(Chosen(one, {.table = false}), "json partial v1");
  EXPECT_EQ(Chosen(one, {.transforms = false}), "406");
  const std::string protobuf = as("application/vnd.kubernetes.protobuf", "PartialObjectMetadata");
  EXPECT_EQ(Chosen(protobuf, kGet), "protobuf partial v1");
  EXPECT_EQ(Chosen(protobuf, {}), "protobuf partial v1");
  EXPECT_EQ(Chosen(protobuf, {.protobuf = true, .protobuf_metadata = false}), "406");
}

TEST(Negotiation, Formats_ThatAreNotOffered_AreRefused) {
  EXPECT_EQ(Chosen("application/vnd.kubernetes.protobuf", {}), "406");
  EXPECT_EQ(Chosen("application/yaml", kWatch), "406");
  EXPECT_EQ(Chosen("application/vnd.kubernetes.protobuf,application/json", {}), "json");
  EXPECT_EQ(Negotiate("x", {}).error().message(),
            "only the following media types are accepted: application/json, application/yaml");
  EXPECT_EQ(Negotiate("x", kGet).error().message(),
            "only the following media types are accepted: application/json, application/yaml, "
            "application/vnd.kubernetes.protobuf");
}

TEST(Negotiation, Clauses_KeepTheirParameters) {
  const std::vector<AcceptClause> clauses =
      ParseAccept("a/b;q=0.5, c/d ; as = T ; g=G;v=V;pretty=1;;=x , ,e/f;q=0");
  ASSERT_EQ(clauses.size(), 2U);
  EXPECT_EQ(clauses[0].type, "c/d");
  EXPECT_EQ(clauses[0].as, "T");
  EXPECT_EQ(clauses[0].group, "G");
  EXPECT_EQ(clauses[0].version, "V");
  EXPECT_TRUE(clauses[0].pretty);
  EXPECT_DOUBLE_EQ(clauses[0].q, 1);
  EXPECT_EQ(clauses[1].type, "a/b");
  EXPECT_EQ(clauses[1].as, "");
  EXPECT_FALSE(clauses[1].pretty);
  EXPECT_DOUBLE_EQ(clauses[1].q, 0.5);
  for (const auto& [text, q] : std::vector<std::pair<std::string, double>>{
           {"1", 1}, {"0.75", 0.75}, {"12", 12}, {"10.25", 10.25}, {"x", 1}, {"0.5x", 1}}) {
    EXPECT_DOUBLE_EQ(ParseAccept("a/b;q=" + text).at(0).q, q) << text;
  }
}

TEST(Negotiation, ContentType_NamesTheFormat) {
  EXPECT_EQ(ContentTypeOf({.media = MediaType::kJson}, false), "application/json");
  EXPECT_EQ(ContentTypeOf({.media = MediaType::kJson}, true), "application/json");
  EXPECT_EQ(ContentTypeOf({.media = MediaType::kYaml}, false), "application/yaml");
  EXPECT_EQ(ContentTypeOf({.media = MediaType::kProtobuf}, false),
            "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(ContentTypeOf({.media = MediaType::kProtobuf}, true),
            "application/vnd.kubernetes.protobuf;stream=watch");
}

TEST(Negotiation, MediaType_IsComparedWithoutParameters) {
  EXPECT_TRUE(IsMediaType("application/json", "application/json"));
  EXPECT_TRUE(IsMediaType(" application/json ; charset=utf-8", "application/json"));
  EXPECT_FALSE(IsMediaType("application/jsonx", "application/json"));
  EXPECT_FALSE(IsMediaType("", "application/json"));
}

TEST(PatchTypes, EachKind_HasItsOwn) {
  const auto changed = [](std::string_view type, bool custom, std::string_view patch) {
    const PatchFunction function = PatchFunctionOf(type, custom);
    if (function == nullptr) return std::string("none");
    json::Value document = json::Parse(R"({"a":1})").OrExit();
    const Result<void> done = function(json::Parse(patch).OrExit(), nullptr, document);
    return done ? document.Dump() : done.error().message();
  };
  constexpr std::string_view kMerge = R"({"$patch":"replace","b":2})";
  const std::string strategic = R"({"b":2})";
  const std::string merged = R"({"a":1,"$patch":"replace","b":2})";
  for (const bool custom : {false, true}) {
    EXPECT_EQ(
        changed("application/json-patch+json", custom, R"([{"op":"add","path":"/b","value":2}])"),
        R"({"a":1,"b":2})");
    EXPECT_EQ(changed("application/merge-patch+json; charset=utf-8", custom, kMerge), merged);
    EXPECT_EQ(changed("application/json", custom, kMerge), "none");
    EXPECT_EQ(changed("application/apply-patch+yaml", custom, kMerge), merged);
  }
  EXPECT_EQ(changed("application/strategic-merge-patch+json", false, kMerge), strategic);
  EXPECT_EQ(changed("application/strategic-merge-patch+json", true, kMerge), "none");
  constexpr std::string_view kNull = R"({"a":{"b":[{"c":null}]}})";
  EXPECT_EQ(PatchFunctionOf("application/apply-patch+yaml", false), &ApplyDeclaredObject);
  EXPECT_EQ(changed("application/apply-patch+yaml", false, kNull), R"({"a":{"b":[{}]}})");
}

}  // namespace
}  // namespace kinformer::apiserver
