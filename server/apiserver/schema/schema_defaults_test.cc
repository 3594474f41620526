#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/schema_fields.h"

namespace kinformer::apiserver {
namespace {

// Parses JSON that has ' in place of ".
json::Value Quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return json::Parse(text).OrExit();
}

std::string Text(const std::string& quoted) { return Quoted(quoted).Dump(); }

TEST(SchemaDefaults, AreSetWhereAMemberIsAbsentOrAForbiddenNull) {
  const StructuralSchema schema(
      Quoted("{'properties':{"
             "'metadata':{'properties':{'name':{'type':'string','default':'no'}}},"
             "'spec':{'properties':{"
             "'a':{'type':'string','default':'A'},"
             "'n':{'type':'string','nullable':true,'default':'N'},"
             "'p':{'type':'string'},"
             "'i':{'type':'integer'},"
             "'f':{'type':'number'},"
             "'any':{},"
             "'metadata':{'properties':{'m':{'default':1}}},"
             "'l':{'items':{'type':'object','properties':{'v':{'default':'V'}}}},"
             "'ld':{'items':{'default':7}},"
             "'ln':{'items':{'nullable':true,'default':7}},"
             "'m':{'additionalProperties':{'properties':{'w':{'default':[1]}}}},"
             "'md':{'additionalProperties':{'default':'x'}},"
             "'o':{'default':{},'properties':{'c':{'type':'object','default':{},'properties':{"
             "'d':{'default':true}}}}}}}}}"));
  struct Row {
    const char* spec;
    const char* filled;
  };
  // Members that every result has.
  const std::string o = "'o':{'c':{'d':true}}";
  const std::vector<Row> rows = {
      {"{}", ""},
      {"{'a':'x'}", "'a':'x',"},
      {"{'a':null}", ""},
      {"{'n':'x'}", "'n':'x',"},
      {"{'n':null}", "'n':null,"},
      {"{'p':null}", ""},
      {"{'any':null}", ""},
      {"{'unknown':null}", "'unknown':null,"},
      {"{'i':2.0}", "'i':2.0,"},
      {"{'i':2.5}", "'i':2.5,"},
      {"{'i':1e300}", "'i':1e300,"},
      {"{'f':2.0}", "'f':2.0,"},
      {"{'l':[{},{'v':1},null]}", "'l':[{'v':'V'},{'v':1},null],"},
      {"{'ld':[1,null,2]}", "'ld':[1,7,2],"},
      {"{'ln':[null]}", "'ln':[null],"},
      {"{'m':{'k':{}}}", "'m':{'k':{'w':[1]}},"},
      {"{'md':{'k':null}}", "'md':{'k':'x'},"},
      {"{'md':{}}", "'md':{},"},
      {"{'metadata':{}}", "'metadata':{'m':1},"},
  };
  for (const Row& row : rows) {
    json::Value object = Quoted("{'metadata':{},'spec':" + std::string(row.spec) + "}");
    EXPECT_TRUE(ApplyDefaults(schema.root(), object)) << row.spec;
    std::string expected = "{" + std::string(row.filled);
    if (expected.find("'a'") == std::string::npos) expected += "'a':'A',";
    if (expected.find("'n'") == std::string::npos) expected += "'n':'N',";
    const json::Value wanted = Quoted(expected + o + "}");
    EXPECT_EQ(object["spec"].Dump({.sort_keys = true}), wanted.Dump({.sort_keys = true}))
        << row.spec;
    EXPECT_EQ(object["metadata"].Dump(), "{}") << "metadata is skipped";
  }
}

TEST(SchemaDefaults, StoredIntegers_HaveNoFractionOrExponent) {
  const StructuralSchema schema(
      Quoted("{'properties':{'i':{'type':'integer'},'n':{'type':'number'},'l':{'items':{"
             "'properties':{'i':{'type':'integer'}}}},'m':{'additionalProperties':{"
             "'type':'integer'}}}}"));
  json::Value object = Quoted(
      "{'i':2.0,'n':2.0,'l':[{'i':-3e2},{'i':'x'}],'m':{'a':1e0,'b':2.5,'c':1e300},'u':1.0}");
  StoreIntegers(schema.root(), object);
  EXPECT_EQ(object.Dump(),
            Text("{'i':2,'n':2.0,'l':[{'i':-300},{'i':'x'}],'m':{'a':1,'b':2.5,'c':1e300},"
                 "'u':1.0}"));
}

TEST(SchemaDefaults, NewMembers_AreAppendedInTheOrderOfTheirNames) {
  const StructuralSchema schema(
      Quoted("{'properties':{'c':{'default':1},'a':{'default':2},'b':{'default':3}}}"));
  json::Value object = Quoted("{'x':0,'b':null}");
  EXPECT_TRUE(ApplyDefaults(schema.root(), object));
  EXPECT_EQ(object.Dump(), Text("{'x':0,'b':3,'a':2,'c':1}"));
}

// A default costs its text, 64 bytes for each value in it, and the name of a member that is added.
TEST(SchemaDefaults, HaveALimitOfMemory) {
  // The text has two quotes.
  const auto fits = [](std::size_t bytes, const std::string& schema, const std::string& object) {
    json::Value parsed = Quoted(schema);
    *parsed.FindPointer("/properties/list/items/default") = std::string(bytes - 66, 'x');
    json::Value value = Quoted(object);
    return ApplyDefaults(StructuralSchema(parsed).root(), value);
  };
  const std::string items = "{'properties':{'list':{'items':{'default':''}}}}";
  EXPECT_TRUE(fits(kMaxDefaultBytes, items, "{'list':[null]}"));
  EXPECT_FALSE(fits(kMaxDefaultBytes + 1, items, "{'list':[null]}"));
  EXPECT_TRUE(fits(kMaxDefaultBytes / 2, items, "{'list':[null,null]}"));
  EXPECT_FALSE(fits(kMaxDefaultBytes / 2, items, "{'list':[null,null,null]}"));

  const auto member_fits = [](std::size_t bytes, const char* object) {
    json::Value parsed = Quoted("{'properties':{'name':{'default':''}}}");
    *parsed.FindPointer("/properties/name/default") = std::string(bytes - 66, 'x');
    json::Value value = Quoted(object);
    return ApplyDefaults(StructuralSchema(parsed).root(), value);
  };
  EXPECT_TRUE(member_fits(kMaxDefaultBytes - 4, "{}"));
  EXPECT_FALSE(member_fits(kMaxDefaultBytes - 3, "{}")) << "the name counts";
  EXPECT_TRUE(member_fits(kMaxDefaultBytes, "{'name':null}")) << "the name is there";
  EXPECT_FALSE(member_fits(kMaxDefaultBytes + 1, "{'name':null}"));
  EXPECT_TRUE(member_fits(kMaxDefaultBytes + 1, "{'name':1}"));
}

TEST(SchemaDefaults, MetadataTypes_AreThoseOfObjectMeta) {
  const StructuralSchema schema(
      Quoted("{'properties':{'pod':{'x-kubernetes-embedded-resource':true},'o':{'properties':"
             "{'pods':{'items':{'x-kubernetes-embedded-resource':true}}}},'map':"
             "{'additionalProperties':{'x-kubernetes-embedded-resource':true}}}}"));
  const auto error = [&](const std::string& object) {
    return MetadataTypeError(schema.root(), Quoted(object));
  };
  struct Row {
    const char* field;
    const char* good;
    const char* bad;
    const char* types;  // of the bad value, and that of the field
  };
  for (const Row& row : {
           Row{"annotations", "{'a':'b','c':null}", "[]", "array map[string]string"},
           Row{"annotations", "{}", "{'a':true}", "bool string"},
           Row{"creationTimestamp", "'t'", "1", "number string"},
           Row{"deletionGracePeriodSeconds", "1", "'1'", "string int64"},
           Row{"deletionTimestamp", "'t'", "{}", "object string"},
           Row{"finalizers", "['a',null]", "'a'", "string []string"},
           Row{"finalizers", "[]", "['a',1]", "number string"},
           Row{"generateName", "'a'", "1", "number string"},
           Row{"generation", "7", "true", "bool int64"},
           Row{"generation", "-7", "1.5", "number 1.5 int64"},
           Row{"labels", "{'a':'b'}", "{'a':'b','c':{}}", "object string"},
           Row{"labels", "{}", "'a'", "string map[string]string"},
           Row{"managedFields", "[{},null]", "{}", "object []v1.ManagedFieldsEntry"},
           Row{"managedFields", "[]", "['a']", "string v1.ManagedFieldsEntry"},
           Row{"name", "'a'", "1", "number string"},
           Row{"namespace", "'a'", "[]", "array string"},
           Row{"ownerReferences", "[{'uid':1}]", "{}", "object []v1.OwnerReference"},
           Row{"ownerReferences", "[]", "[{},1]", "number v1.OwnerReference"},
           Row{"resourceVersion", "'1'", "1", "number string"},
           Row{"selfLink", "'1'", "1", "number string"},
           Row{"uid", "'1'", "1", "number types.UID"},
       }) {
    const std::string field = row.field;
    EXPECT_EQ(error("{'metadata':{'" + field + "':" + row.good + "}}"), "") << field;
    EXPECT_EQ(error("{'metadata':{'" + field + "':null}}"), "") << field;
    const std::string types = row.types;
    const std::size_t space = types.rfind(' ');
    EXPECT_EQ(error("{'metadata':{'x':1,'" + field + "':" + row.bad + "}}"),
              "json: cannot unmarshal " + types.substr(0, space) +
                  " into Go struct field ObjectMeta." + field + " of type " +
                  types.substr(space + 1));
  }
  EXPECT_EQ(error("{}"), "");
  EXPECT_EQ(error("{'metadata':null}"), "");
  EXPECT_EQ(error("{'metadata':{'x':1},'pod':{'metadata':{'zz':1}}}"), "");
  EXPECT_EQ(error("{'metadata':[]}"),
            "json: cannot unmarshal array into Go value of type v1.ObjectMeta");

  const std::string tail =
      ": json: cannot unmarshal number into Go struct field ObjectMeta.name of type string";
  EXPECT_EQ(error("{'pod':{'metadata':{'name':1,'labels':{'<':'a'}}}}"),
            R"(pod.metadata: Invalid value: {"labels":{"<":"a"},"name":1})" + tail);
  EXPECT_EQ(error("{'o':{'pods':[{},{'metadata':{'name':'a'}},{'metadata':{'name':1}}]}}"),
            R"(o.pods[2].metadata: Invalid value: {"name":1})" + tail);
  EXPECT_EQ(error("{'x':1,'map':{'a':{'metadata':{}},'b':{'metadata':{'name':1}}}}"),
            R"(map.b.metadata: Invalid value: {"name":1})" + tail);
  EXPECT_EQ(error("{'o':{'metadata':{'name':1}},'x':{'metadata':{'name':1}},'pod':7}"), "")
      << "not embedded";
}

}  // namespace
}  // namespace kinformer::apiserver
