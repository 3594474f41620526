// Validation of nested values: paths, lists with keys, embedded objects, ratcheting and limits.

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/errors/status.h"
#include "apiserver/schema/metadata_rules.h"
#include "apiserver/schema/schema_validation.h"

namespace kinformer::apiserver {
namespace {

// Parses JSON that has ' in place of ".
json::Value Quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return json::Parse(text).OrExit();
}

using Texts = std::vector<std::string>;

Texts TextsOf(const std::vector<StatusCause>& causes) {
  Texts texts;
  for (const StatusCause& cause : causes) texts.push_back(cause.field + ": " + cause.message);
  return texts;
}

constexpr const char* kSchema =
    "{'type':'object','x-kubernetes-embedded-resource':true,'properties':{"
    "'i':{'type':'integer'},"
    "'min':{'minItems':1,'maxItems':2,'items':{'type':'integer'}},"
    "'one':{'maxItems':1},"
    "'size':{'minProperties':1,'maxProperties':2},"
    "'single':{'maxProperties':1},"
    "'closed':{'additionalProperties':false,'properties':{'a':{}}},"
    "'map':{'additionalProperties':{'type':'object','required':['a','b'],"
    "'properties':{'list':{'x-kubernetes-list-type':'set','items':{'type':'string'}}}}},"
    "'keyed':{'x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['k'],'items':{"
    "'type':'object','properties':{'k':{'type':'string'},'v':{'type':'integer'}}}},"
    "'pod':{'type':'object','x-kubernetes-embedded-resource':true},"
    "'o':{'type':'object','properties':{'pod':{'x-kubernetes-embedded-resource':true},"
    "'i':{'type':'integer'}}}}}";

const StructuralSchema& Schema() {
  static const StructuralSchema schema(Quoted(kSchema));
  return schema;
}

Texts Problems(const std::string& object) {
  return TextsOf(ValidateObject(Schema().root(), Quoted(object), nullptr));
}

TEST(SchemaPaths, Containers_HaveSizesAndMembers) {
  struct Row {
    const char* object;
    Texts problems;
  };
  const std::vector<Row> rows = {
      {"{}", {}},
      {"{'min':[1]}", {}},
      {"{'min':[1,2]}", {}},
      {"{'min':[]}", {"min: Invalid value: 0: min in body should have at least 1 items"}},
      {"{'min':[1,2,3]}", {"min: Too many: 3: must have at most 2 items"}},
      {"{'one':[1]}", {}},
      {"{'one':[1,2]}", {"one: Too many: 2: must have at most 1 item"}},
      {"{'size':{'a':1}}", {}},
      {"{'size':{'a':1,'b':1}}", {}},
      {"{'size':{}}", {"size: Invalid value: 0: size in body should have at least 1 properties"}},
      {"{'size':{'a':1,'b':1,'c':1}}", {"size: Too many: 3: must have at most 2 items"}},
      {"{'single':{'a':1,'b':1}}", {"single: Too many: 2: must have at most 1 item"}},
      {"{'closed':{'a':1}}", {}},
      {"{'closed':{'a':1,'b':1,'c':1}}",
       {R"(closed: Invalid value: "b": closed.b in body is a forbidden property)",
        R"(closed: Invalid value: "c": closed.c in body is a forbidden property)"}},
      {"{'min':['x',1,'z']}",
       {R"(min[0]: Invalid value: "string": min[0] in body must be of type integer: "string")",
        R"(min[2]: Invalid value: "string": min[2] in body must be of type integer: "string")",
        "min: Too many: 3: must have at most 2 items"}},
      {"{'map':{'k.l':{'b':1}}}", {"map.k.l.a: Required value"}},
      {"{'map':{'k':{}}}", {"map.k.a: Required value", "map.k.b: Required value"}},
      {"{'map':{'k':{'a':1,'b':1,'list':['x','z','x','x','z']}}}",
       {R"(map[k].list[2]: Duplicate value: "x")", R"(map[k].list[4]: Duplicate value: "z")"}},
      {"{'keyed':[{'k':'a','v':1},{'k':'b'},{'v':2,'k':'a'},{'v':3}]}",
       {R"(keyed[2]: Duplicate value: {"k":"a"})"}},
      {"{'keyed':[null,null]}",
       {R"(keyed[0]: Invalid value: "null": keyed[0] in body must be of type object: "null")",
        R"(keyed[1]: Invalid value: "null": keyed[1] in body must be of type object: "null")",
        "keyed[1]: Duplicate value: {}"}},
      {"{'keyed':[{'k':'a'},7,8]}",
       {R"(keyed[1]: Invalid value: "integer": keyed[1] in body must be of type object: "integer")",
        R"(keyed[2]: Invalid value: "integer": keyed[2] in body must be of type object: "integer")",
        "keyed[1]: Invalid value: 7: must be an object for an array of list-type map"}},
  };
  for (const Row& row : rows) EXPECT_EQ(Problems(row.object), row.problems) << row.object;
}

TEST(SchemaPaths, EmbeddedObjects_AreObjects) {
  struct Row {
    const char* pod;
    Texts problems;  // behind "pod"
  };
  const std::string kind_rule =
      "may have mixed case, but should otherwise match: " + std::string(kDns1035LabelText);
  const std::vector<Row> rows = {
      {"{'apiVersion':'v1','kind':'Pod'}", {}},
      {"{'apiVersion':'apps/v1','kind':'Pod','metadata':{}}", {}},
      {"{'apiVersion':'apps/v1','kind':'Pod','metadata':{'name':'A_'}}", {}},
      {"{'apiVersion':'v1','kind':'Pod','metadata':null}", {}},
      {"{}", {".apiVersion: Required value", ".kind: Required value"}},
      {"{'kind':'Pod'}", {".apiVersion: Required value"}},
      {"{'apiVersion':'v1'}", {".kind: Required value"}},
      {"{'apiVersion':'v1','kind':''}", {R"(.kind: Invalid value: "": must not be empty)"}},
      {"{'apiVersion':'','kind':'Pod'}", {R"(.apiVersion: Invalid value: "": must not be empty)"}},
      {"{'apiVersion':'a/b/c','kind':'Pod'}",
       {R"(.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c)"}},
      {"{'apiVersion':'v1','kind':'1Pod'}", {R"(.kind: Invalid value: "1Pod": )" + kind_rule}},
      {"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'a/b'}}",
       {R"(.metadata.name: Invalid value: "a/b": may not contain '/')"}},
  };
  for (const Row& row : rows) {
    for (const char* place : {"pod", "o.pod"}) {
      const std::string path = place;
      const std::string object = path == "pod" ? "{'pod':" + std::string(row.pod) + "}"
                                               : "{'o':{'pod':" + std::string(row.pod) + "}}";
      Texts expected;
      for (const std::string& problem : row.problems) expected.push_back(path + problem);
      EXPECT_EQ(Problems(object), expected) << object;
    }
  }
  EXPECT_EQ(Problems("{'pod':7}"),
            Texts{R"(pod: Invalid value: "integer": pod in body must be of type object: )"
                  R"("integer")"});
}

TEST(SchemaPaths, UnchangedParts_MayStayInvalid) {
  const auto problems = [](const std::string& old, const std::string& now) {
    const json::Value before = Quoted(old);
    return TextsOf(ValidateObject(Schema().root(), Quoted(now), &before)).size();
  };
  EXPECT_EQ(problems("{'i':'x','o':{'i':1}}", "{'i':'x','o':{'i':2}}"), 0U);
  EXPECT_EQ(problems("{'i':'x'}", "{'i':'z'}"), 1U);
  EXPECT_EQ(problems("{'o':{'i':'x'}}", "{'i':1,'o':{'i':'x'}}"), 0U);
  EXPECT_EQ(problems("{'o':{'i':'x'}}", "{'o':{'i':'x','u':1}}"), 0U) << "the member is unchanged";
  EXPECT_EQ(
      problems("{'keyed':[{'k':'a','v':'x'}]}", "{'keyed':[{'k':'b','v':1},{'k':'a','v':'x'}]}"),
      0U);
  EXPECT_EQ(
      problems("{'keyed':[{'k':'a','v':'x'}]}", "{'keyed':[{'k':'b','v':'x'},{'k':'a','v':'x'}]}"),
      1U)
      << "of another key";
  EXPECT_EQ(problems("{'min':['x']}", "{'min':['x',1]}"), 1U) << "no keys";
  // Keys are checked unless those of the old object were wrong, too.
  EXPECT_EQ(
      problems("{'keyed':[{'k':'a'},{'k':'a'}]}", "{'keyed':[{'k':'a'},{'k':'b'},{'k':'a'}]}"), 0U);
  EXPECT_EQ(problems("{'keyed':[{'k':'a'}]}", "{'keyed':[{'k':'a'},{'k':'b'},{'k':'a'}]}"), 1U);
  EXPECT_EQ(problems("{'i':'x','keyed':[]}", "{'i':'x','keyed':[{'k':'a'},{'k':'a'}]}"), 1U);
}

TEST(SchemaPaths, Causes_AreAtMostAsManyAsAStatusHolds) {
  const auto list = [](std::string_view name, std::size_t count, const json::Value& item) {
    json::Value object = json::Value::MakeObject();
    for (std::size_t i = 0; i < count; ++i) object.Ensure(name).Append(item);
    return object;
  };
  const auto count = [](const json::Value& object) {
    return ValidateObject(Schema().root(), object, nullptr).size();
  };
  EXPECT_EQ(count(list("min", kMaxCauses - 1, "x")), kMaxCauses) << "one of them is the size";
  // Causes of the size come on top.
  EXPECT_EQ(count(list("min", kMaxCauses + 50, "x")), kMaxCauses + 1);
  json::Value required = json::Value::MakeObject();
  for (std::size_t i = 0; i < kMaxCauses; ++i) {
    required.Ensure("map").Set("k" + std::to_string(i), json::Value::MakeObject());
  }
  EXPECT_EQ(count(required), kMaxCauses);
  json::Value closed = json::Value::MakeObject();
  json::Value keyed = json::Value::MakeObject();
  for (std::size_t i = 0; i < kMaxCauses + 50; ++i) {
    closed.Ensure("closed").Set("k" + std::to_string(i), 1);
    const json::Value item = json::Value::MakeObject({{"k", std::to_string(i)}});
    keyed.Ensure("keyed").Append(item);
    keyed.Ensure("keyed").Append(item);
  }
  EXPECT_EQ(count(closed), kMaxCauses);
  EXPECT_EQ(count(keyed), kMaxCauses);
  EXPECT_EQ(count(list("keyed", 2, json::Value::MakeObject())), 1U);
  keyed.Ensure("min") = *list("min", kMaxCauses - 50, "x").Find("min");
  EXPECT_EQ(count(keyed), kMaxCauses) << "both kinds together";
}

TEST(SchemaPaths, Defaults_AreValidatedAtTheirField) {
  const auto problems = [](const std::string& schema, const std::string& value) {
    const StructuralSchema parsed(Quoted(schema));
    return TextsOf(ValidateDefault(parsed.root(), Quoted(value), "f.default"));
  };
  EXPECT_EQ(problems("{'type':'integer'}", "1"), Texts{});
  EXPECT_EQ(problems("{'type':'integer'}", "'x'"),
            Texts{R"(f.default: Invalid value: "string":  in body must be of type integer: )"
                  R"("string")"});
  EXPECT_EQ(problems("{'properties':{'a':{'maximum':1}}}", "{'a':2}"),
            Texts{"f.default.a: Invalid value: 2: a in body should be less than or equal to 1"});
  EXPECT_EQ(problems("{'additionalProperties':{'maximum':1}}", "{'k':2}"),
            Texts{"f.default.k: Invalid value: 2: k in body should be less than or equal to 1"});
  EXPECT_EQ(problems("{'not':{'type':'integer'}}", "1"),
            Texts{R"(f.default: Invalid value: "": "" must not validate the schema (not))"});
  EXPECT_EQ(problems("{'x-kubernetes-embedded-resource':true}", "{'kind':'K'}"),
            Texts{"f.default.apiVersion: Required value"});
  EXPECT_EQ(problems("{'x-kubernetes-list-type':'set','items':{}}", "[1,1]"), Texts{})
      << "keys are not checked";
}

TEST(SchemaPaths, Status_IsValidatedAlone) {
  const StructuralSchema schema(
      Quoted("{'properties':{'spec':{'type':'integer'},'status':{'properties':{'i':{'type':"
             "'integer'},'set':{'x-kubernetes-list-type':'set','items':{}},'pod':"
             "{'x-kubernetes-embedded-resource':true}}}}}"));
  const auto problems = [&](const std::string& object, const std::string& old) {
    return TextsOf(ValidateStatus(schema.root(), Quoted(object), Quoted(old)));
  };
  EXPECT_EQ(problems("{'spec':'x','status':{'i':1,'pod':{}}}", "{}"), Texts{});
  EXPECT_EQ(problems("{'spec':'x'}", "{'status':{'i':'x'}}"), Texts{});
  const Texts wrong = {
      R"(status.i: Invalid value: "string": i in body must be of type integer: "string")"};
  EXPECT_EQ(problems("{'status':{'i':'x'}}", "{}"), wrong);
  EXPECT_EQ(problems("{'status':{'i':'x'}}", "{'status':{'i':'z'}}"), wrong);
  EXPECT_EQ(problems("{'status':{'i':'x','a':1}}", "{'status':{'i':'x'}}"), Texts{});
  const Texts repeated = {"status.set[1]: Duplicate value: 1"};
  EXPECT_EQ(problems("{'status':{'set':[1,1]}}", "{}"), repeated);
  EXPECT_EQ(problems("{'status':{'set':[1,1]}}", "{'status':{'set':[2,2]}}"), Texts{});
  const StructuralSchema bare(Quoted("{'properties':{}}"));
  EXPECT_TRUE(ValidateStatus(bare.root(), Quoted("{'status':1}"), Quoted("{}")).empty());
}

}  // namespace
}  // namespace kinformer::apiserver
