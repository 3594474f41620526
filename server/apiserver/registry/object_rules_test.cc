#include "apiserver/registry/object_rules.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Quoted;

std::string Text(const std::string& quoted) { return Quoted(quoted).Dump(); }

std::string MessageOf(const Result<void>& result) {
  if (result.ok()) return "";
  EXPECT_EQ(result.error().reason(), Reason::kBadRequest);
  return result.error().message();
}

TEST(ObjectRules, NameInTheBody_IsThatOfTheUrl) {
  EXPECT_EQ(MessageOf(CheckSentName(Quoted("{'name':'a'}"), "a")), "");
  EXPECT_EQ(MessageOf(CheckSentName(Quoted("{'name':'b'}"), "a")),
            "the name of the object (b) does not match the name on the URL (a)");
  const std::string none =
      "the name of the object (a based on URL) was undeterminable: name must be provided";
  EXPECT_EQ(MessageOf(CheckSentName(Quoted("{}"), "a")), none);
  EXPECT_EQ(MessageOf(CheckSentName(Quoted("{'name':''}"), "a")), none);
}

TEST(ObjectRules, NamespaceInTheBody_IsThatOfTheUrlOrAbsent) {
  EXPECT_EQ(MessageOf(CheckSentNamespace(Quoted("{'namespace':'a'}"), "a")), "");
  EXPECT_EQ(MessageOf(CheckSentNamespace(Quoted("{}"), "a")), "");
  EXPECT_EQ(MessageOf(CheckSentNamespace(Quoted("{'namespace':''}"), "a")), "");
  EXPECT_EQ(MessageOf(CheckSentNamespace(Quoted("{'namespace':'b'}"), "a")),
            "the namespace of the provided object does not match the namespace sent on the "
            "request");
}

TEST(ObjectRules, EmptyMetadata_IsRemoved) {
  struct Row {
    const char* sent;
    const char* tidy;
  };
  for (const Row& row : {
           Row{"{'labels':{},'annotations':{},'ownerReferences':[],'finalizers':[],"
               "'managedFields':[],'name':'n'}",
               "{'name':'n'}"},
           Row{"{'labels':null,'annotations':null,'ownerReferences':null,'finalizers':null,"
               "'managedFields':null,'generateName':null}",
               "{'generateName':null}"},
           Row{"{'labels':{'a':'b'},'annotations':{'a':''},'ownerReferences':[{}],"
               "'finalizers':['f'],'managedFields':[{}]}",
               "{'labels':{'a':'b'},'annotations':{'a':''},'ownerReferences':[{}],"
               "'finalizers':['f'],'managedFields':[{}]}"},
           Row{"{'labels':[],'finalizers':{},'other':{},'selfLink':'/a'}", "{'other':{}}"},
           Row{"{'labels':'','annotations':7}", "{'labels':'','annotations':7}"},
           Row{"{'ownerReferences':[{'uid':'a'},{'uid':'b'},{'uid':'a'},{'uid':'a','name':'c'},"
               "{'uid':'b'}]}",
               "{'ownerReferences':[{'uid':'a'},{'uid':'b'},{'uid':'a','name':'c'}]}"},
           Row{"{'ownerReferences':[{'uid':'a'},{'uid':'a'}]}",
               "{'ownerReferences':[{'uid':'a'}]}"},
       }) {
    json::Value metadata = Quoted(row.sent);
    TidyMetadata(metadata);
    EXPECT_EQ(metadata.Dump(), Text(row.tidy)) << row.sent;
  }
}

TEST(ObjectRules, Namespace_HasItsNameAsALabel) {
  json::Value object = Quoted("{'metadata':{'name':'n'}}");
  SetNamespaceLabel(object);
  EXPECT_EQ(object.Dump(),
            Text("{'metadata':{'name':'n','labels':{'kubernetes.io/metadata.name':'n'}}}"));
  object =
      Quoted("{'metadata':{'name':'n','labels':{'a':'b','kubernetes.io/metadata.name':'forged'}}}");
  SetNamespaceLabel(object);
  EXPECT_EQ(object.Dump(), Text("{'metadata':{'name':'n','labels':{'a':'b',"
                                "'kubernetes.io/metadata.name':'n'}}}"));
}

TEST(ObjectRules, Time_IsInWholeSecondsRoundedDown) {
  const auto at = [](std::chrono::milliseconds since) { return FormatTime(WallTime(since)); };
  EXPECT_EQ(at(std::chrono::milliseconds(1'700'000'000'999)), "2023-11-14T22:13:20Z");
  EXPECT_EQ(at(std::chrono::milliseconds(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(at(std::chrono::milliseconds(-1)), "1969-12-31T23:59:59Z");
}

// Names are the prefix and five letters that form no words, as those of apimachinery.
TEST(ObjectRules, GeneratedNames_EndWithFiveLettersAndFitALabel) {
  Simulation sim;
  const std::string allowed = "bcdfghjklmnpqrstvwxz2456789";
  std::set<std::string> names;
  std::set<char> letters;
  for (int i = 0; i < 400; ++i) {
    const std::string name = GenerateName(sim.env(), "job-");
    ASSERT_EQ(name.size(), 9U);
    ASSERT_EQ(name.substr(0, 4), "job-");
    ASSERT_EQ(name.find_first_not_of(allowed, 4), std::string::npos) << name;
    letters.insert(name.begin() + 4, name.end());
    names.insert(name);
  }
  EXPECT_GT(names.size(), 390U) << "names are random";
  EXPECT_EQ(letters.size(), allowed.size()) << "all letters occur";
  for (const std::size_t size : {57U, 58U, 59U, 63U, 200U}) {
    const std::string name = GenerateName(sim.env(), std::string(size, 'a'));
    EXPECT_EQ(name.size(), std::min<std::size_t>(size, 58U) + 5) << size;
    EXPECT_EQ(name.rfind(std::string(std::min<std::size_t>(size, 58U), 'a'), 0), 0U) << size;
  }
}

TEST(ObjectRules, Generation_IncreasesByTheRuleOfTheResource) {
  struct Row {
    const char* old;
    const char* now;
    bool spec;         // kSpec counts the change
    bool annotations;  // kSpecOrAnnotations counts it
    bool all;          // kAllButMetadata counts it
  };
  const std::vector<Row> rows = {
      {"{'spec':{'a':1}}", "{'spec':{'a':1}}", false, false, false},
      {"{'spec':{'a':1}}", "{'spec':{'a':2}}", true, true, true},
      {"{'spec':{'a':1}}", "{}", true, true, true},
      {"{'data':1}", "{'data':2}", false, false, true},
      {"{}", "{'status':{}}", false, false, true},
      {"{'kind':'A','apiVersion':'v1'}", "{'kind':'B','apiVersion':'v2'}", false, false, false},
      {"{}", "{'metadata':{'annotations':{'a':'b'}}}", false, true, false},
      {"{'metadata':{'annotations':{'a':'b'}}}", "{'metadata':{'annotations':{'a':'b'}}}", false,
       false, false},
      {"{}", "{'metadata':{'labels':{'a':'b'}}}", false, false, false},
  };
  for (const Row& row : rows) {
    const auto next = [&](GenerationRule rule) {
      ServedResource resource;
      resource.generation = rule;
      json::Value old = Quoted(row.old);
      json::Value now = Quoted(row.now);
      old.Ensure("metadata").Set("generation", 7);
      now.Ensure("metadata").Set("generation", 99);
      return NextGeneration(resource, old, now);
    };
    EXPECT_EQ(next(GenerationRule::kNone), 7) << row.now;
    EXPECT_EQ(next(GenerationRule::kSpec), row.spec ? 8 : 7) << row.now;
    EXPECT_EQ(next(GenerationRule::kSpecOrAnnotations), row.annotations ? 8 : 7) << row.now;
    EXPECT_EQ(next(GenerationRule::kAllButMetadata), row.all ? 8 : 7) << row.now;
  }
  ServedResource resource;
  EXPECT_EQ(NextGeneration(resource, Quoted("{}"), Quoted("{}")), 0);
  resource.generation = GenerationRule::kSpec;
  EXPECT_EQ(NextGeneration(resource, Quoted("{}"), Quoted("{'spec':1}")), 1);
}

}  // namespace
}  // namespace kinformer::apiserver
