#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/schema/schema_fields.h"

namespace kinformer::apiserver {
namespace {

using ::testing::ElementsAre;

// Parses JSON that has ' in place of ".
json::Value Quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return json::Parse(text).OrExit();
}

std::string Text(const std::string& quoted) { return Quoted(quoted).Dump(); }

// Returns the schema of an object whose spec has these properties.
StructuralSchema SchemaOf(const std::string& properties) {
  return StructuralSchema(
      Quoted("{'type':'object','properties':{'spec':{'type':'object','properties':{" + properties +
             "}}}}"));
}

constexpr const char* kProperties =
    "'a':{'type':'string'},"
    "'any':{'type':'object','additionalProperties':true},"
    "'none':{'type':'object','additionalProperties':false},"
    "'map':{'type':'object','additionalProperties':{'properties':{'a':{}}}},"
    "'free':{'x-kubernetes-preserve-unknown-fields':true,'properties':{'o':{'properties':"
    "{'a':{}}}}},"
    "'loose':{'x-kubernetes-preserve-unknown-fields':true},"
    "'empty':{'type':'object'},"
    "'list':{'items':{'properties':{'a':{}}}},"
    "'bare':{'type':'array'},"
    "'freelist':{'x-kubernetes-preserve-unknown-fields':true,'type':'array'},"
    "'freeitems':{'x-kubernetes-preserve-unknown-fields':true,'items':{'properties':{'o':"
    "{'properties':{'a':{}}}}}},"
    "'pod':{'x-kubernetes-embedded-resource':true,'properties':{'a':{}}},"
    "'pods':{'items':{'x-kubernetes-embedded-resource':true,'properties':{'a':{}}}}";

struct Row {
  const char* spec;
  const char* pruned;
  std::vector<std::string> unknown;     // without "spec."
  std::vector<std::string> undeclared;  // without "spec."
};

std::vector<Row> Rows() {
  return {
      {"{'a':'x'}", "{'a':'x'}", {}, {}},
      {"{'b':1,'a':'x','c':1}", "{'a':'x'}", {"b", "c"}, {"b", "c"}},
      {"{'b':1}", "{}", {"b"}, {"b"}},
      {"{'kind':1,'apiVersion':1,'metadata':{}}",
       "{}",
       {"apiVersion", "kind", "metadata"},
       {"apiVersion", "kind", "metadata"}},
      {"{'a':{'b':1}}", "{'a':{}}", {"a.b"}, {}},
      {"{'any':{'x':1,'y':{'z':1}}}", "{'any':{'x':1,'y':{}}}", {"any.y.z"}, {}},
      {"{'any':{'y':{'kind':'K','metadata':{'x':1}}}}",
       "{'any':{'y':{}}}",
       {"any.y.kind", "any.y.metadata"},
       {}},
      {"{'none':{'x':1}}", "{'none':{'x':1}}", {}, {}},
      {"{'map':{'k':{'a':1,'b':1}}}", "{'map':{'k':{'a':1}}}", {"map.k.b"}, {"map.k.b"}},
      {"{'free':{'x':{'y':1},'o':{'a':1,'b':1}}}",
       "{'free':{'x':{'y':1},'o':{'a':1}}}",
       {"free.o.b"},
       {}},
      {"{'loose':{'x':[{'y':1}]}}", "{'loose':{'x':[{'y':1}]}}", {}, {}},
      {"{'empty':{'x':1}}", "{'empty':{}}", {"empty.x"}, {}},
      {"{'list':[{'a':1},7,{'b':1,'a':1}]}",
       "{'list':[{'a':1},7,{'a':1}]}",
       {"list[2].b"},
       {"list[2].b"}},
      {"{'bare':[{'b':1}]}", "{'bare':[{}]}", {"bare[0].b"}, {}},
      {"{'freelist':[{'b':1},[{'c':1}]]}", "{'freelist':[{'b':1},[{'c':1}]]}", {}, {}},
      {"{'freeitems':[{'b':1,'o':{'a':1,'b':1}}]}",
       "{'freeitems':[{'b':1,'o':{'a':1}}]}",
       {"freeitems[0].o.b"},
       {}},
      {"{'pod':{'apiVersion':'v1','kind':'P','metadata':{'name':'n','odd':1},'a':1,'b':1}}",
       "{'pod':{'apiVersion':'v1','kind':'P','metadata':{'name':'n'},'a':1}}",
       {"pod.b", "pod.metadata.odd"},
       {"pod.b", "pod.metadata.odd"}},
      {"{'pods':[{'kind':'P','metadata':{'odd':1},'b':1},{'a':1}]}",
       "{'pods':[{'kind':'P','metadata':{}},{'a':1}]}",
       {"pods[0].b", "pods[0].metadata.odd"},
       {"pods[0].b", "pods[0].metadata.odd"}},
      {"{'pod':{'metadata':7}}", "{'pod':{'metadata':7}}", {}, {}},
  };
}

TEST(SchemaPruning, UnknownFields_AreNamedAndRemoved) {
  const StructuralSchema schema = SchemaOf(kProperties);
  for (const Row& row : Rows()) {
    json::Value object = Quoted("{'spec':" + std::string(row.spec) + "}");
    const auto named = [](std::vector<std::string> paths) {
      for (std::string& path : paths) path.insert(0, "spec.");
      return paths;
    };
    EXPECT_EQ(UnknownFields(schema.root(), object), named(row.unknown)) << row.spec;
    EXPECT_EQ(UndeclaredFields(schema.root(), object), named(row.undeclared)) << row.spec;
    json::Value spec = object["spec"];
    PruneObject(schema.root(), object);
    EXPECT_EQ(object["spec"].Dump(), Text(row.pruned)) << row.spec;
    EXPECT_EQ(PruneValue(*schema.root().FindProperty("spec"), spec), !row.unknown.empty())
        << row.spec;
    EXPECT_EQ(spec.Dump(), Text(row.pruned)) << row.spec;
  }
}

TEST(SchemaPruning, Root_HasTheMembersOfAnObject) {
  const StructuralSchema schema = SchemaOf(kProperties);
  json::Value object = Quoted(
      "{'apiVersion':'v1','kind':'K','metadata':{'name':'n','labels':{'x':'z'},'odd':1},'x':1,"
      "'spec':{'q':1}}");
  EXPECT_THAT(UnknownFields(schema.root(), object), ElementsAre("spec.q", "x", "metadata.odd"));
  EXPECT_THAT(UndeclaredFields(schema.root(), object), ElementsAre("spec.q", "x", "metadata.odd"));
  PruneObject(schema.root(), object);
  EXPECT_EQ(object.Dump(),
            Text("{'apiVersion':'v1','kind':'K','metadata':{'name':'n','labels':{'x':'z'}},"
                 "'spec':{}}"));
  // A value below the root has none of them, unless its schema is that of an embedded object.
  const SchemaNode& spec = *schema.root().FindProperty("spec");
  json::Value pod = Quoted("{'kind':'K','metadata':{'odd':1},'a':1,'b':1}");
  EXPECT_TRUE(PruneValue(*spec.FindProperty("pod"), pod));
  EXPECT_EQ(pod.Dump(), Text("{'kind':'K','metadata':{},'a':1}"));
  json::Value plain = Quoted("{'kind':'K','metadata':{},'a':1}");
  EXPECT_TRUE(PruneValue(spec, plain));
  EXPECT_EQ(plain.Dump(), Text("{'a':1}"));
  EXPECT_FALSE(PruneValue(spec, plain));
}

TEST(SchemaPruning, PathsOfUnknownFields_AreAtMostAMebibyte) {
  const StructuralSchema schema = SchemaOf("");
  json::Value object = json::Value::MakeObject();
  const std::string name(std::size_t{1} << 18, 'x');
  for (const char digit : {'1', '2', '3', '4', '5', '6', '7'}) {
    object.Ensure("spec").Set(name + digit, 1);
  }
  const std::vector<std::string> paths = UnknownFields(schema.root(), object);
  // Four paths are "spec." and a digit longer than a mebibyte, so the fifth exceeds it.
  ASSERT_EQ(paths.size(), 5U);
  EXPECT_EQ(paths[0], "spec." + name + "1");
  EXPECT_EQ(paths[3], "spec." + name + "4");
  EXPECT_EQ(paths[4], "... and 3 more");
}

TEST(SchemaPruning, OtherVersion_HidesNullsThatItForbids) {
  const StructuralSchema schema = SchemaOf(
      "'a':{'type':'string'},'n':{'type':'string','nullable':true},"
      "'d':{'type':'string','default':'x'},"
      "'o':{'properties':{'a':{}}},'l':{'items':{'properties':{'a':{}}}},"
      "'metadata':{'properties':{'a':{}}}");
  json::Value object = Quoted(
      "{'metadata':{'name':null},'spec':{'a':null,'n':null,'d':null,'o':{'a':null},"
      "'l':[{'a':null},null],'metadata':{'a':null},'u':null}}");
  ShapeForVersion(schema.root(), object);
  EXPECT_EQ(object.Dump(), Text("{'metadata':{'name':null},'spec':{'n':null,'d':null,'o':{},"
                                "'l':[{},null],'metadata':{}}}"));
  // Metadata is not looked at, even if the schema has rules for it.
  const StructuralSchema odd(
      Quoted("{'properties':{'metadata':{'properties':{'name':{'type':'string'}}},'a':{}}}"));
  object = Quoted("{'metadata':{'name':null},'a':null}");
  ShapeForVersion(odd.root(), object);
  EXPECT_EQ(object.Dump(), Text("{'metadata':{'name':null}}"));
}

}  // namespace
}  // namespace kinformer::apiserver
