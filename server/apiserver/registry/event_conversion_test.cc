#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/registry/built_in_conversion.h"
#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;

std::string FromStored(const std::string& stored) {
  return kEventConversion.from_stored(Quoted(stored)).Dump();
}

std::string ToStored(const std::string& object) {
  return kEventConversion.to_stored(Quoted(object)).Dump();
}

std::string Text(const std::string& quoted) { return Quoted(quoted).Dump(); }

TEST(EventConversion, IsFoundByItsOwnNamesOnly) {
  EXPECT_EQ(FindConversion("events.k8s.io", "v1", "events"), &kEventConversion);
  EXPECT_EQ(FindConversion("autoscaling", "v1", "horizontalpodautoscalers"),
            &kAutoscalerConversion);
  EXPECT_EQ(FindConversion("", "v1", "events"), nullptr);
  EXPECT_EQ(FindConversion("events.k8s.io", "v2", "events"), nullptr);
  EXPECT_EQ(FindConversion("events.k8s.io", "v1", "pods"), nullptr);
  EXPECT_EQ(FindConversion("autoscaling", "v2", "horizontalpodautoscalers"), nullptr);
  EXPECT_EQ(kEventConversion.stored_group, "");
  EXPECT_EQ(kEventConversion.stored_version, "v1");
  EXPECT_EQ(kAutoscalerConversion.stored_group, "autoscaling");
  EXPECT_EQ(kAutoscalerConversion.stored_version, "v2");
}

TEST(EventConversion, EachField_HasAnotherNameInTheCoreGroup) {
  const std::string core =
      "{'metadata':{'name':'e'},'eventTime':'t0','series':{'count':3,'lastObservedTime':'t4'},"
      "'reportingComponent':'rc','reportingInstance':'ri','action':'a','reason':'r',"
      "'involvedObject':{'kind':'Pod'},'related':{'kind':'Node'},'message':'m','type':'Normal',"
      "'source':{'component':'s'},'firstTimestamp':'t1','lastTimestamp':'t2','count':5}";
  const std::string form =
      "{'metadata':{'name':'e'},'eventTime':'t0','series':{'count':3,'lastObservedTime':'t4'},"
      "'reportingController':'rc','reportingInstance':'ri','action':'a','reason':'r',"
      "'regarding':{'kind':'Pod'},'related':{'kind':'Node'},'note':'m','type':'Normal',"
      "'deprecatedSource':{'component':'s'},'deprecatedFirstTimestamp':'t1',"
      "'deprecatedLastTimestamp':'t2','deprecatedCount':5}";
  EXPECT_EQ(FromStored(core), Text(form));
  EXPECT_EQ(ToStored(form), Text(core));
  EXPECT_EQ(ToStored("{'kind':'Event','message':'lost','count':1,'note':'n','other':1}"),
            Text("{'metadata':null,'message':'n'}"))
      << "fields of the core group are unknown in this form";
}

TEST(EventConversion, EmptyFields_AreWrittenIfTheyAreNoStrings) {
  EXPECT_EQ(
      FromStored("{'metadata':{},'eventTime':null,'series':null,'reportingComponent':'',"
                 "'reportingInstance':'','action':'','reason':'','involvedObject':{},"
                 "'related':null,'message':'','type':'','source':{},'firstTimestamp':null,"
                 "'lastTimestamp':null,'count':null}"),
      Text(
          "{'metadata':{},'eventTime':null,'series':null,'regarding':{},'related':null,"
          "'deprecatedSource':{},'deprecatedFirstTimestamp':null,'deprecatedLastTimestamp':null}"));
  EXPECT_EQ(FromStored("{'metadata':{},'count':0}"), Text("{'metadata':{},'deprecatedCount':0}"));
  EXPECT_EQ(FromStored("{'metadata':{},'action':{}}"), Text("{'metadata':{}}"));
}

TEST(EventConversion, Series_AlwaysHasItsCountFirst) {
  EXPECT_EQ(FromStored("{'metadata':{},'series':{}}"),
            Text("{'metadata':{},'series':{'count':0}}"));
  EXPECT_EQ(FromStored("{'metadata':{},'series':{'lastObservedTime':'t'}}"),
            Text("{'metadata':{},'series':{'count':0,'lastObservedTime':'t'}}"));
  EXPECT_EQ(FromStored("{'metadata':{},'series':{'lastObservedTime':'t','count':2}}"),
            Text("{'metadata':{},'series':{'count':2,'lastObservedTime':'t'}}"));
}

TEST(EventConversion, Changes_OfAllButTheSeriesAreRefused) {
  const auto changed = [](const std::string& old, const std::string& now) {
    return Lines(kEventConversion.validate_change(Quoted(old), Quoted(now)));
  };
  constexpr const char* kReference =
      R"({"Kind":"Pod","Namespace":"ns","Name":"n","UID":"u","APIVersion":"v1",)"
      R"("ResourceVersion":"7","FieldPath":"f"})";
  constexpr const char* kNoReference =
      R"({"Kind":"","Namespace":"","Name":"","UID":"","APIVersion":"","ResourceVersion":"",)"
      R"("FieldPath":""})";
  const std::string reference =
      "{'kind':'Pod','namespace':'ns','name':'n','uid':'u','apiVersion':'v1',"
      "'resourceVersion':'7','fieldPath':'f'}";
  struct Row {
    std::string old;
    std::string now;
    std::string field;  // empty: no problem
    std::string shown;
  };
  const std::vector<Row> rows = {
      {"{}", "{}", "", ""},
      {"{'series':{'count':1}}", "{'series':{'count':2}}", "", ""},
      {"{'type':'a'}", "{'type':'a'}", "", ""},
      {"{'type':''}", "{}", "", ""},
      {"{'source':{}}", "{'source':null}", "", ""},
      {"{}", "{'involvedObject':" + reference + "}", "involvedObject", kReference},
      {"{'involvedObject':{'kind':'A'}}", "{}", "involvedObject", kNoReference},
      {"{}", "{'related':" + reference + "}", "related", kReference},
      {"{'related':{'kind':'A'}}", "{}", "related", "null"},
      {"{}", "{'source':{'component':'c','host':'h'}}", "source",
       R"({"Component":"c","Host":"h"})"},
      {"{'source':{'host':'h'}}", "{}", "source", R"({"Component":"","Host":""})"},
      {"{'message':'m'}", "{}", "message", "\"\""},
      {"{}", "{'message':'m'}", "message", "\"m\""},
      {"{'firstTimestamp':'t'}", "{}", "firstTimestamp", "null"},
      {"{}", "{'lastTimestamp':'t'}", "lastTimestamp", "\"t\""},
      {"{'eventTime':'t'}", "{}", "eventTime", "null"},
      {"{'count':1}", "{}", "count", "0"},
      {"{'count':1}", "{'count':2}", "count", "2"},
      {"{'type':'a'}", "{'type':'b'}", "type", "\"b\""},
      {"{}", "{'action':'b'}", "action", "\"b\""},
      {"{'reportingComponent':'a'}", "{}", "reportingController", "\"\""},
      {"{}", "{'reportingInstance':'b'}", "reportingInstance", "\"b\""},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(changed(row.old, row.now),
              row.field.empty()
                  ? ""
                  : row.field + ": Invalid value: " + row.shown + ": field is immutable\n")
        << row.old << " " << row.now;
  }
}

TEST(EventConversion, Problems_AreInTheOrderOfARealServer) {
  const json::Value old = json::Value::MakeObject();
  const json::Value now = Quoted(
      "{'reportingInstance':'x','reportingComponent':'x','related':{},'action':'x',"
      "'eventTime':'x','type':'x','reason':'x','count':1,'lastTimestamp':'x',"
      "'firstTimestamp':'x','source':{'host':'x'},'message':'x','involvedObject':{'kind':'x'},"
      "'series':{}}");
  std::string fields;
  for (const StatusCause& cause : kEventConversion.validate_change(old, now)) {
    fields += cause.field + " ";
    EXPECT_EQ(cause.reason, "FieldValueInvalid");
  }
  EXPECT_EQ(fields,
            "involvedObject reason message source firstTimestamp lastTimestamp count reason type "
            "eventTime action reportingController reportingInstance ")
      << "an empty object is as good as none";
}

}  // namespace
}  // namespace kinformer::apiserver
