#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "kinformer/object/field_selector.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/object_name.h"

namespace kinformer {
namespace {

using ::testing::HasSubstr;

struct Labels {
  std::map<std::string, std::string, std::less<>> values;
  [[nodiscard]] std::optional<std::string_view> Find(std::string_view key) const {
    const auto it = values.find(key);
    if (it == values.end()) return std::nullopt;
    return it->second;
  }
};

bool Selects(const std::string& selector, const Labels& labels) {
  const auto parsed = LabelSelector::Parse(selector);
  EXPECT_TRUE(parsed) << selector << ": " << parsed.error();
  return parsed && parsed->Matches(labels);
}

TEST(LabelSelector, Matches) {
  const Labels web{
      {{"app", "web"}, {"tier", ""}, {"size", "12"}, {"in", "in"}, {"example.com/x", "1"}}};
  for (const char* selector : {"",
                               "  ",
                               "app",
                               "app=web",
                               "app==web",
                               "app = web",
                               "app in (web)",
                               "app in (api,web)",
                               "app notin (api)",
                               "app!=api",
                               "absent!=x",
                               "absent notin (x,y)",
                               "!absent",
                               "tier=",
                               "tier in ()",
                               "tier in (,x)",
                               "size>11",
                               "size < 13",
                               "in in (in)",
                               "example.com/x=1",
                               "app=web,size>1,!absent"}) {
    EXPECT_TRUE(Selects(selector, web)) << selector;
  }
  for (const char* selector :
       {"absent", "app=api", "app notin (web)", "app!=web", "!app", "size>12", "size<12", "app>1",
        "absent=", "absent in ()", "app=web,size>100"}) {
    EXPECT_FALSE(Selects(selector, web)) << selector;
  }
  EXPECT_FALSE(LabelSelector::Nothing().Matches(web));
  EXPECT_TRUE(LabelSelector::Everything().Matches(web));
}

TEST(LabelSelector, ErrorsNameThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"a=b,", "found the end at position 5"},
      {"a=b,,c", "found ',' at position 5"},
      {"!a=b", "found '=' at position 3 of \"!a=b\", expected ',' or the end"},
      {"a b", "expected one of '='"},
      {"a in x", "expected '('"},
      {"a in (x", "expected ',' or ')'"},
      {"a>b", "need one integer"},
      {"a>-1", "value \"-1\" of key \"a\""},
      {"a<-1", "value \"-1\" of key \"a\""},
      {"-a=b", "key \"-a\""},
      {"a=-b", "value \"-b\" of key \"a\""},
      {"UPPER.com/a/b", "key \"UPPER.com/a/b\""},
      {"=x", "expected a label key"},
  };
  for (const auto& [selector, message] : cases) {
    const auto parsed = LabelSelector::Parse(selector);
    ASSERT_FALSE(parsed) << selector;
    EXPECT_EQ(parsed.error().reason(), Reason::kInvalidArgument);
    EXPECT_THAT(parsed.error().message(), HasSubstr(message)) << selector;
  }
  EXPECT_FALSE(LabelSelector::Parse("a=" + std::string(64, 'x')));
}

// A key may begin with a DNS subdomain, as in apimachinery's IsQualifiedName.
TEST(LabelSelector, PrefixesOfKeys) {
  const std::string most = std::string(63, 'a') + '.' + std::string(63, 'b') + '.' +
                           std::string(63, 'c') + '.' + std::string(61, 'd');
  for (const std::string& good :
       {std::string("a"), std::string("a-b"), std::string("a.b"), std::string("a-b.c-d.e"),
        std::string("0.1"), std::string("a--b"), std::string("z9"), most}) {
    EXPECT_TRUE(LabelSelector::Parse(good + "/x=y")) << good;
  }
  for (const std::string& bad :
       {std::string(""), std::string("A"), std::string("a_b"), std::string("-a"), std::string("a-"),
        std::string(".a"), std::string("a."), std::string("a..b"), std::string("a.-b"),
        std::string("a-.b"), std::string("a.b_c"), std::string("a.B"), most + "d"}) {
    EXPECT_FALSE(LabelSelector::Parse(bad + "/x=y")) << bad;
  }
}

TEST(LabelSelector, CanonicalText) {
  const std::pair<const char*, const char*> cases[] = {
      {"z=1, b in (y,x,y) ,!c", "b in (x,y),!c,z=1"},
      {"b notin (x)", "b!=x"},
      {"a", "a"},
      {"a > 5", "a>5"},
      {"a in ()", "a="},
  };
  for (const auto& [selector, canonical] : cases) {
    const auto parsed = LabelSelector::Parse(selector);
    ASSERT_TRUE(parsed) << parsed.error();
    EXPECT_EQ(parsed->ToString(), canonical);
    EXPECT_EQ(LabelSelector::Parse(canonical).value(), *parsed);
  }
}

TEST(FieldSelector, ParsesAndMatches) {
  const auto selector =
      FieldSelector::Parse("metadata.name=a,,spec.x!=b\\,c,status.p==\\=").value();
  ASSERT_EQ(selector.requirements().size(), 3U);
  EXPECT_EQ(selector.RequiresExactMatch("metadata.name"), "a");
  EXPECT_EQ(selector.RequiresExactMatch("spec.x"), std::nullopt);
  EXPECT_EQ(selector.ToString(), "metadata.name=a,spec.x!=b\\,c,status.p=\\=");
  const auto value_of = [](std::string_view field) -> std::string_view {
    if (field == "metadata.name") return "a";
    return field == "status.p" ? "=" : "";
  };
  EXPECT_TRUE(selector.Matches(value_of));
  EXPECT_FALSE(FieldSelector::Parse("metadata.name!=a").value().Matches(value_of));
  EXPECT_TRUE(FieldSelector::Parse("absent=").value().Matches(value_of));
}

TEST(FieldSelector, TermsWithCommas_EqualTheirEscapedText) {
  const FieldSelector made = FieldSelector::Of({{.field = "metadata.name", .value = "a,b=c"},
                                                {.field = "spec.x", .negated = true}})
                                 .value();
  EXPECT_EQ(made.ToString(), "metadata.name=a\\,b\\=c,spec.x!=");
  EXPECT_EQ(made, FieldSelector::Parse(made.ToString()).value());
  EXPECT_EQ(FieldSelector::Of({}).value(), FieldSelector());
}

TEST(FieldSelector, TermWithInvalidPath_IsAnError) {
  EXPECT_EQ(FieldSelector::Of({{.value = "a"}}).error().reason(), Reason::kInvalidArgument);
  EXPECT_THAT(FieldSelector::Of({{.field = "a=b"}}).error().message(), HasSubstr("'a=b'"));
  EXPECT_FALSE(FieldSelector::Of({{.field = "a,b"}}).ok());
}

TEST(FieldSelector, ErrorsNameTheTerm) {
  EXPECT_THAT(FieldSelector::Parse("a=b,x").error().message(), HasSubstr("can't understand 'x'"));
  EXPECT_THAT(FieldSelector::Parse("a=b=c").error().message(), HasSubstr("'a=b=c'"));
  EXPECT_THAT(FieldSelector::Parse("a=b\\x").error().message(), HasSubstr("backslash"));
}

TEST(ObjectName, NamesOfTypesAsText) {
  const auto text = [](const auto& name) {
    std::ostringstream out;
    out << name;
    return out.str();
  };
  EXPECT_EQ(text(GroupVersionResource{"apps", "v1", "deployments"}),
            "apps/v1, Resource=deployments");
  EXPECT_EQ(text(GroupVersionResource{"", "v1", "pods"}), "v1, Resource=pods");
  EXPECT_EQ(text(GroupVersionKind{"apps", "v1", "Deployment"}), "apps/v1, Kind=Deployment");
  EXPECT_EQ(text(GroupVersionKind{"", "v1", "Pod"}), "v1, Kind=Pod");
  EXPECT_EQ(text(ObjectName{"ns", "a"}), "ns/a");
  EXPECT_EQ(text(ObjectName{"", "a"}), "a");
}

TEST(ObjectName, KeysAndTheirParts) {
  EXPECT_EQ((ObjectName{"ns", "n"}.ToString()), "ns/n");
  EXPECT_EQ((ObjectName{"", "n"}.ToString()), "n");
  EXPECT_EQ(SplitMetaNamespaceKey("ns/n").value(), (ObjectName{"ns", "n"}));
  EXPECT_EQ(SplitMetaNamespaceKey("n").value(), (ObjectName{"", "n"}));
  EXPECT_THAT(SplitMetaNamespaceKey("a/b/c").error().message(), HasSubstr("a/b/c"));
  EXPECT_EQ((GroupVersionKind{"apps", "v1", "Deployment"}.apiVersion()), "apps/v1");
}

}  // namespace
}  // namespace kinformer
