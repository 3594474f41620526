#include "apiserver/store/stored_object.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinformer::apiserver {
namespace {

// Parses JSON that has ' in place of ".
json::Value Quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return json::Parse(text).OrExit();
}

std::vector<SelectableField> Fields() {
  return {{.name = "spec.nodeName", .pointer = "/spec/nodeName"},
          {.name = "spec.on", .pointer = "/spec/on", .fallback = "false"},
          {.name = "spec.count", .pointer = "/spec/count", .fallback = "0"}};
}

StoredObjectPtr Make(const std::string& object, std::int64_t version = 7) {
  return StoredObject::Make(Quoted(object), version, Fields());
}

TEST(StoredObject, Body_HasMetadataFirstAndInOrder) {
  const StoredObjectPtr stored = Make(
      "{'apiVersion':'v1','spec':{'a':1},'kind':'K','metadata':{'zone':'z','finalizers':['f'],"
      "'labels':{'b':'1'},'uid':'u-1','resourceVersion':'99','annotations':null,'generation':2,"
      "'namespace':'ns','deletionTimestamp':'t','ownerReferences':[{'uid':'o'}],'name':'n',"
      "'deletionGracePeriodSeconds':3,'creationTimestamp':'c','managedFields':[],"
      "'generateName':'g','gone':null},'status':{}}");
  EXPECT_EQ(stored->body(),
            R"("metadata":{"name":"n","generateName":"g","namespace":"ns","uid":"u-1",)"
            R"("resourceVersion":"7","generation":2,"creationTimestamp":"c",)"
            R"("deletionTimestamp":"t","deletionGracePeriodSeconds":3,"labels":{"b":"1"},)"
            R"("ownerReferences":[{"uid":"o"}],"finalizers":["f"],"managedFields":[],"zone":"z"},)"
            R"("spec":{"a":1},"status":{}})");
  EXPECT_EQ(stored->key(), "ns/n");
  EXPECT_EQ(stored->namespace_(), "ns");
  EXPECT_EQ(stored->name(), "n");
  EXPECT_EQ(stored->uid(), "u-1");
  EXPECT_EQ(stored->resource_version(), 7);
  EXPECT_TRUE(stored->terminating());
  EXPECT_TRUE(stored->owned());
  EXPECT_FALSE(stored->tombstone());
  EXPECT_FALSE(stored->copied());
  EXPECT_EQ(stored->form(), 0U);
  EXPECT_EQ(stored->Parse("v2", "Kind")["kind"].StringOrEmpty(), "Kind");
  EXPECT_EQ(stored->Parse("v2", "Kind")["apiVersion"].StringOrEmpty(), "v2");
  EXPECT_EQ(stored->Parse().Dump(), "{" + stored->body());
}

TEST(StoredObject, ClusterObject_HasNeitherNamespaceNorUid) {
  const StoredObjectPtr stored = Make("{'metadata':{'name':'n','ownerReferences':[]}}");
  EXPECT_EQ(stored->body(),
            R"("metadata":{"name":"n","resourceVersion":"7","ownerReferences":[]}})");
  EXPECT_EQ(stored->key(), "n");
  EXPECT_EQ(stored->namespace_(), "");
  EXPECT_EQ(stored->name(), "n");
  EXPECT_EQ(stored->uid(), "");
  EXPECT_FALSE(stored->terminating());
  EXPECT_FALSE(stored->owned());
  // Objects of dry runs have no version.
  EXPECT_EQ(Make("{'metadata':{'name':'n','uid':'u'}}", 0)->body(),
            R"("metadata":{"name":"n","uid":"u"}})");
  EXPECT_EQ(Make("{'metadata':{}}", 0)->body(), R"("metadata":{}})");
  EXPECT_EQ(StorageKey("", "a"), "a");
  EXPECT_EQ(StorageKey("n", "a"), "n/a");
  EXPECT_EQ(NamespacePrefix(""), "");
  EXPECT_EQ(NamespacePrefix("n"), "n/");
}

TEST(StoredObject, LabelsAndFields_AreFound) {
  const StoredObjectPtr stored = Make(
      "{'metadata':{'name':'n','labels':{'a':'1','b':'','c':'3'}},"
      "'spec':{'nodeName':'host','on':true,'count':5}}");
  EXPECT_EQ(stored->Label("a"), "1");
  EXPECT_EQ(stored->Label("b"), "");
  EXPECT_EQ(stored->Label("c"), "3");
  EXPECT_EQ(stored->Label("1"), std::nullopt);
  EXPECT_EQ(stored->Label(""), std::nullopt);
  EXPECT_EQ(stored->Field(0), "host");
  EXPECT_EQ(stored->Field(1), "true");
  EXPECT_EQ(stored->Field(2), "5");
  EXPECT_EQ(stored->Field(3), "");
  const StoredObjectPtr empty = Make("{'metadata':{'name':'n'},'spec':{'on':false,'count':{}}}");
  EXPECT_EQ(empty->Field(0), "");
  EXPECT_EQ(empty->Field(1), "false");
  EXPECT_EQ(empty->Field(2), "0");
  EXPECT_EQ(empty->Label("a"), std::nullopt);
  EXPECT_NE(empty->FieldsText(), stored->FieldsText());
}

TEST(StoredObject, OtherVersion_IsTheSameObject) {
  const StoredObjectPtr first = StoredObject::Make(
      Quoted("{'metadata':{'name':'n','namespace':'ns','uid':'u-1','labels':{'a':'1'},"
             "'deletionTimestamp':'t','ownerReferences':[{}]},'spec':{'nodeName':'h'}}"),
      7, Fields(), 3);
  for (const bool tombstone : {false, true}) {
    const StoredObjectPtr later = first->AtResourceVersion(1000, tombstone);
    EXPECT_EQ(later->tombstone(), tombstone);
    EXPECT_EQ(later->resource_version(), 1000);
    EXPECT_EQ(later->body(),
              R"("metadata":{"name":"n","namespace":"ns","uid":"u-1","resourceVersion":"1000",)"
              R"("deletionTimestamp":"t","labels":{"a":"1"},"ownerReferences":[{}]},)"
              R"("spec":{"nodeName":"h"}})");
    EXPECT_EQ(later->key(), "ns/n");
    EXPECT_EQ(later->namespace_(), "ns");
    EXPECT_EQ(later->name(), "n");
    EXPECT_EQ(later->uid(), "u-1");
    EXPECT_EQ(later->form(), 3U);
    EXPECT_EQ(later->Label("a"), "1");
    EXPECT_EQ(later->Field(0), "h");
    EXPECT_TRUE(later->terminating());
    EXPECT_TRUE(later->owned());
  }
  EXPECT_EQ(first->resource_version(), 7);
}

TEST(StoredObject, Copy_IsEqual) {
  const StoredObjectPtr first = StoredObject::Make(
      Quoted("{'metadata':{'name':'n','namespace':'ns','uid':'u-1','labels':{'a':'1'},"
             "'deletionTimestamp':'t','ownerReferences':[{}]},'spec':{'nodeName':'h'}}"),
      7, Fields(), 3);
  const StoredObjectPtr copy = first->AtResourceVersion(8, true)->Copy();
  EXPECT_EQ(copy->body(), first->AtResourceVersion(8, true)->body());
  EXPECT_EQ(copy->key(), "ns/n");
  EXPECT_EQ(copy->namespace_(), "ns");
  EXPECT_EQ(copy->uid(), "u-1");
  EXPECT_EQ(copy->form(), 3U);
  EXPECT_EQ(copy->resource_version(), 8);
  EXPECT_EQ(copy->Label("a"), "1");
  EXPECT_EQ(copy->Field(0), "h");
  EXPECT_TRUE(copy->terminating());
  EXPECT_TRUE(copy->owned());
  EXPECT_TRUE(copy->copied());
}

TEST(StoredObject, Protobuf_IsCachedWithItsSize) {
  const StoredObjectPtr stored = Make("{'metadata':{'name':'n'}}");
  EXPECT_EQ(stored->protobuf(), nullptr);
  EXPECT_EQ(stored->protobuf_bytes(), 0U);
  EXPECT_EQ(stored->protobuf_size(), std::nullopt);
  stored->NoteProtobufSize(0);
  EXPECT_EQ(stored->protobuf_size(), 0U);
  stored->NoteProtobufSize(3);
  EXPECT_EQ(stored->protobuf_size(), 3U);
  stored->KeepProtobuf("abc");
  EXPECT_EQ(*stored->protobuf(), "abc");
  EXPECT_EQ(stored->protobuf_bytes(), 3 + sizeof(std::string));
  EXPECT_GT(stored->bytes(), sizeof(StoredObject) + stored->body().size());
}

TEST(ObjectOutline, Outline_HasOnlyItsMembers) {
  const StoredObjectPtr stored = Make(
      "{'metadata':{'name':'n','uid':'u','finalizers':['f'],'labels':{'a':'1'}},'spec':"
      "{'nodeName':'h','other':1,'finalizers':['g']},'status':{'phase':'P','x':{'phase':'Q'}},"
      "'data':{'phase':'no'}}");
  EXPECT_EQ(stored->Outline().Dump(),
            R"({"metadata":{"name":"n","finalizers":["f"]},"spec":{"nodeName":"h",)"
            R"("finalizers":["g"]},"status":{"phase":"P"}})");
  EXPECT_EQ(stored->Outline(kOwnersOutline).Dump(), R"({"metadata":{}})");
  EXPECT_EQ(stored->Outline(kDefinitionOutline).Dump(),
            R"({"metadata":{"name":"n","uid":"u","resourceVersion":"7","labels":{"a":"1"},)"
            R"("finalizers":["f"]},"spec":{},"status":{"phase":"P","x":{"phase":"Q"}}})");
}

struct Change {
  const char* object;
  const char* before;
  const char* after;
  const char* body;
};

TEST(ObjectOutline, ChangedOutline_ReplacesItsMembersInPlace) {
  for (const Change& row : {
           // Nothing changes.
           Change{"{'metadata':{'name':'n'},'spec':{'a':1}}", "{'metadata':{'name':'n'}}",
                  "{'metadata':{'name':'n'}}",
                  R"("metadata":{"name":"n","resourceVersion":"7"},"spec":{"a":1}})"},
           // New members of the metadata have their place among the others.
           Change{"{'metadata':{'name':'n','labels':{'a':'1'},'finalizers':['f'],'zone':'z'}}",
                  "{'metadata':{'name':'n','finalizers':['f']}}",
                  "{'metadata':{'name':'n','ownerReferences':[{}],'deletionTimestamp':'t',"
                  "'finalizers':['f','g'],'nothing':null}}",
                  R"("metadata":{"name":"n","resourceVersion":"7","deletionTimestamp":"t",)"
                  R"("labels":{"a":"1"},"ownerReferences":[{}],"finalizers":["f","g"],)"
                  R"("zone":"z"}})"},
           Change{"{'metadata':{'name':'n'}}", "{'metadata':{'name':'n'}}",
                  "{'metadata':{'name':'n','finalizers':['f'],'generation':2}}",
                  R"("metadata":{"name":"n","resourceVersion":"7","generation":2,)"
                  R"("finalizers":["f"]}})"},
           // Removed members, and null
           Change{"{'metadata':{'name':'n','finalizers':['f'],'ownerReferences':[{}]}}",
                  "{'metadata':{'finalizers':['f'],'ownerReferences':[{}]}}",
                  "{'metadata':{'finalizers':null}}",
                  R"("metadata":{"name":"n","resourceVersion":"7"}})"},
           // Other members: new ones are last.
           Change{"{'metadata':{'name':'n'},'spec':{'b':1,'c':{'x':'}'}}}",
                  "{'metadata':{},'spec':{'b':1}}", "{'metadata':{},'spec':{'a':5,'b':2}}",
                  R"("metadata":{"name":"n","resourceVersion":"7"},)"
                  R"("spec":{"b":2,"c":{"x":"}"},"a":5}})"},
           Change{"{'metadata':{'name':'n'},'data':1}", "{'metadata':{},'data':1}",
                  "{'metadata':{},'data':2,'status':{'phase':'P'}}",
                  R"("metadata":{"name":"n","resourceVersion":"7"},"data":2,)"
                  R"("status":{"phase":"P"}})"},
       }) {
    EXPECT_EQ(Make(row.object)->WithOutline(Quoted(row.before), Quoted(row.after), {})->body(),
              row.body)
        << row.object << row.after;
  }
}

TEST(ObjectOutline, ChangedOutline_KeepsLabelsAndFields) {
  const StoredObjectPtr first = StoredObject::Make(
      Quoted("{'metadata':{'name':'n','namespace':'ns','uid':'u','labels':{'a':'1'}},"
             "'spec':{'nodeName':'h','count':3}}"),
      7, Fields(), 2);
  const json::Value before = Quoted("{'metadata':{'name':'n'},'spec':{'nodeName':'h'}}");
  const StoredObjectPtr marked = first->WithOutline(
      before, Quoted("{'metadata':{'name':'n','deletionTimestamp':'t'},'spec':{'nodeName':'i'}}"),
      Fields());
  EXPECT_TRUE(marked->terminating());
  EXPECT_FALSE(marked->owned());
  EXPECT_EQ(marked->key(), "ns/n");
  EXPECT_EQ(marked->namespace_(), "ns");
  EXPECT_EQ(marked->uid(), "u");
  EXPECT_EQ(marked->resource_version(), 7);
  EXPECT_EQ(marked->form(), 2U);
  EXPECT_EQ(marked->Label("a"), "1");
  EXPECT_EQ(marked->Field(0), "i");
  EXPECT_EQ(marked->Field(1), "false");
  EXPECT_EQ(marked->Field(2), "3");
  const StoredObjectPtr labeled = first->WithOutline(
      Quoted("{'metadata':{'labels':{'a':'1'}}}"),
      Quoted("{'metadata':{'labels':{'b':'2'},'ownerReferences':[{}]}}"), Fields());
  EXPECT_EQ(labeled->Label("a"), std::nullopt);
  EXPECT_EQ(labeled->Label("b"), "2");
  EXPECT_TRUE(labeled->owned());
  EXPECT_FALSE(labeled->terminating());
}

}  // namespace
}  // namespace kinformer::apiserver
