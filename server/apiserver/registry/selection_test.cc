#include "apiserver/registry/selection.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Quoted;

// A custom resource with two selectable fields, of which v1 offers only the first.
ResourceAt Things(bool namespaced) {
  auto resource = std::make_shared<ServedResource>();
  resource->custom = true;
  resource->namespaced = namespaced;
  resource->fields = {{.name = "spec.color", .pointer = "/spec/color"},
                      {.name = "spec.size", .pointer = "/spec/size", .fallback = "0"}};
  ServedVersion version{.version = "v1"};
  version.selectable = {"spec.color"};
  return {.resource = resource, .version = ServedVersion::Make(std::move(version))};
}

// A built-in resource with both fields.
ResourceAt Builtins(bool fields) {
  ResourceAt at = Things(true);
  at.resource->custom = false;
  if (!fields) at.resource->fields.clear();
  return at;
}

StoredObjectPtr Stored(const ResourceAt& at, const std::string& object) {
  return StoredObject::Make(Quoted(object), 7, at.resource->fields);
}

TEST(Selections, Scope_IsThePrefixOfKeys) {
  struct Row {
    bool namespaced;
    const char* namespace_;
    const char* fields;
    const char* prefix;
    const char* namespace_prefix;
    bool single;
    bool selective;
  };
  for (const Row& row : {
           Row{true, "", "", "", "", false, false},
           Row{true, "ns", "", "ns/", "ns/", false, false},
           Row{true, "ns", "metadata.name=a", "ns/a", "ns/", true, false},
           Row{true, "ns", "metadata.name==a", "ns/a", "ns/", true, false},
           Row{true, "ns", "metadata.name!=a", "ns/", "ns/", false, true},
           Row{true, "", "metadata.name=a", "", "", false, false},
           Row{true, "ns", "metadata.namespace=ns", "ns/", "ns/", false, true},
           Row{true, "ns", "metadata.namespace!=ns", "ns/", "ns/", false, true},
           Row{true, "ns", "spec.color=red", "ns/", "ns/", false, true},
           Row{true, "ns", "spec.color=red,metadata.name=a", "ns/a", "ns/", true, true},
           Row{false, "", "", "", "", false, false},
           Row{false, "ns", "", "", "", false, false},
           Row{false, "", "metadata.name=a", "a", "", true, false},
           Row{false, "ns", "metadata.name=a", "a", "", true, false},
           Row{false, "", "metadata.name!=a", "", "", false, true},
       }) {
    const Selection selection =
        Selection::Make(Things(row.namespaced), row.namespace_, "", row.fields).OrExit();
    EXPECT_EQ(selection.prefix(), row.prefix) << row.fields;
    EXPECT_EQ(selection.namespace_prefix(), row.namespace_prefix) << row.fields;
    EXPECT_EQ(selection.single(), row.single) << row.fields;
    EXPECT_EQ(selection.selective(), row.selective) << row.fields;
  }
  const auto labelled = Selection::Make(Things(true), "ns", "a=b", "").OrExit();
  EXPECT_TRUE(labelled.selective());
  EXPECT_FALSE(labelled.single());
}

TEST(Selections, Scope_OfOneObjectIsItsWholeKey) {
  const ResourceAt at = Things(true);
  const auto in_scope = [&](std::string_view namespace_, std::string_view fields,
                            const std::string& object) {
    return Selection::Make(at, namespace_, "", fields).OrExit().InScope(*Stored(at, object));
  };
  const std::string ab = "{'metadata':{'name':'ab','namespace':'ns'}}";
  const std::string a = "{'metadata':{'name':'a','namespace':'ns'}}";
  EXPECT_TRUE(in_scope("ns", "metadata.name=a", a));
  EXPECT_FALSE(in_scope("ns", "metadata.name=a", ab));
  EXPECT_TRUE(in_scope("ns", "", ab));
  EXPECT_FALSE(in_scope("n", "", ab));
  EXPECT_TRUE(in_scope("", "", ab));
}

TEST(Selections, Objects_MatchAllTerms) {
  struct Row {
    const char* labels;
    const char* fields;
    bool matches;
  };
  const ResourceAt at = Builtins(true);
  const StoredObjectPtr stored =
      Stored(at,
             "{'metadata':{'name':'a','namespace':'ns','labels':{'x':'1','e':''}},"
             "'spec':{'color':'red'}}");
  for (const Row& row : {
           Row{"", "", true},
           Row{"x=1", "", true},
           Row{"x=2", "", false},
           Row{"x!=1", "", false},
           Row{"e", "", true},
           Row{"!e", "", false},
           Row{"y", "", false},
           Row{"!y", "", true},
           Row{"", "metadata.name=a", true},
           Row{"", "metadata.name=b", false},
           Row{"", "metadata.name!=a", false},
           Row{"", "metadata.name!=b", true},
           Row{"", "metadata.namespace=ns", true},
           Row{"", "metadata.namespace=a", false},
           Row{"", "metadata.namespace!=ns", false},
           Row{"", "spec.color=red", true},
           Row{"", "spec.color=blue", false},
           Row{"", "spec.color!=red", false},
           Row{"", "spec.color!=blue", true},
           Row{"", "spec.size=0", true},
           Row{"", "spec.size=", false},
           Row{"", "spec.color=red,spec.size=0", true},
           Row{"", "spec.color=red,spec.size=1", false},
           Row{"x=1", "spec.color=red", true},
           Row{"x=2", "spec.color=red", false},
           Row{"x=1", "spec.color=blue", false},
       }) {
    const Selection selection = Selection::Make(at, "", row.labels, row.fields).OrExit();
    EXPECT_EQ(selection.Matches(*stored), row.matches) << row.labels << " " << row.fields;
  }
  const LabelSelector selector = LabelSelector::Parse("x=1,!y").OrExit();
  EXPECT_TRUE(MatchesLabels(selector, *stored));
  EXPECT_TRUE(MatchesLabels(selector, Quoted("{'x':'1'}")));
  EXPECT_FALSE(MatchesLabels(selector, Quoted("{'x':'1','y':''}")));
  EXPECT_FALSE(MatchesLabels(selector, Quoted("{'x':'2'}")));
  EXPECT_FALSE(MatchesLabels(selector, json::Value()));
}

TEST(Selections, Fields_AreThoseThatTheVersionOffers) {
  const auto problem = [](const ResourceAt& at, std::string_view fields) {
    const Result<Selection> selection = Selection::Make(at, "ns", "", fields);
    if (selection.ok()) return std::string();
    EXPECT_EQ(selection.error().reason(), Reason::kBadRequest);
    return selection.error().message();
  };
  const std::string unknown = "field label not supported: ";
  EXPECT_EQ(problem(Things(true), "spec.color=red"), "");
  EXPECT_EQ(problem(Things(true), "spec.size=1"), unknown + "spec.size") << "of another version";
  EXPECT_EQ(problem(Things(true), "spec.other=1"), unknown + "spec.other");
  EXPECT_EQ(problem(Things(false), "metadata.namespace=a"), unknown + "metadata.namespace");
  EXPECT_EQ(problem(Things(false), "metadata.name=a"), "");
  EXPECT_EQ(problem(Builtins(true), "spec.size=1"), "");
  EXPECT_EQ(problem(Builtins(true), "spec.other=1"), unknown + "spec.other");
  EXPECT_EQ(problem(Builtins(false), "spec.color=1"),
            "\"spec.color\" is not a known field selector: only \"metadata.name\", "
            "\"metadata.namespace\"");
  ResourceAt bare = Things(true);
  bare.resource->fields.clear();
  EXPECT_EQ(problem(bare, "spec.color=1"), unknown + "spec.color");
  EXPECT_NE(problem(Things(true), "spec.color"), "") << "no operator";

  const Result<Selection> labels = Selection::Make(Things(true), "", "a in b", "");
  ASSERT_FALSE(labels.ok());
  EXPECT_EQ(labels.error().reason(), Reason::kBadRequest);
  EXPECT_EQ(labels.error().message().rfind("unable to parse labelSelector: ", 0), 0U);
}

// The texts of metav1.FormatLabelSelector, which sorts by key.
TEST(Selections, SelectorOfAnObject_HasAText) {
  struct Row {
    const char* selector;
    const char* text;
  };
  for (const Row& row : {
           Row{"'a=b,c'", "a=b,c"},
           Row{"{}", ""},
           Row{"", ""},
           Row{"{'b':'2','a':'1'}", "a=1,b=2"},
           Row{"{'a':'1','b':2}", "a=1"},
           Row{"{'matchLabels':{'b':'2','a':''}}", "a=,b=2"},
           Row{"{'matchLabels':{'b':'2'},'x':'y'}", "b=2"},
           Row{"{'matchExpressions':[],'x':'y'}", ""},
           Row{"{'matchExpressions':[{'key':'k','operator':'In','values':['b','a','c']}]}",
               "k in (a,b,c)"},
           Row{"{'matchExpressions':[{'key':'k','operator':'NotIn','values':['b']}]}",
               "k notin (b)"},
           Row{"{'matchExpressions':[{'key':'k','operator':'Exists'},"
               "{'key':'j','operator':'DoesNotExist'}]}",
               "!j,k"},
           Row{"{'matchLabels':{'m':'1'},'matchExpressions':[{'key':'z','operator':'Exists'},"
               "{'key':'c','operator':'In','values':['1','2']}]}",
               "c in (1,2),m=1,z"},
       }) {
    EXPECT_EQ(SelectorText(Quoted(row.selector)), row.text);
  }
}

}  // namespace
}  // namespace kinformer::apiserver
