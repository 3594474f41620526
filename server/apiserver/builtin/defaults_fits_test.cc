#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/internal/registry.h"

#include "apiserver/builtin/defaults.h"
#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Quoted;

struct Row {
  const char* kind;
  std::string object;
  bool fits;
};

class ObjectsFit : public ::testing::Test {
 protected:
  void Expect(const char* group, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      const KindInfo* const type = internal::FindType(group, "v1", row.kind);
      ASSERT_NE(type, nullptr) << row.kind;
      const std::string kind = std::string(group) + (*group == '\0' ? "" : "/") + "v1 " + row.kind;
      EXPECT_EQ(defaults_.Fits(*type->message, kind, Quoted(row.object)), row.fits)
          << row.kind << " " << row.object;
    }
  }
  Defaults defaults_;
};

TEST_F(ObjectsFit, Members_AreKnownAndOfTheirTypes) {
  Expect("", {
                 {"Pod", "{}", true},
                 {"Pod", "[]", false},
                 {"Pod", "1", false},
                 {"Pod", "null", false},
                 {"Pod", "{'apiVersion':'v1','kind':'Pod','metadata':{},'spec':{}}", true},
                 {"Pod", "{'kind':'Pod'}", true},
                 {"Pod", "{'apiVersion':'v1'}", true},
                 {"Pod", "{'other':1}", false},
                 {"Pod", "{'other':null}", false},
                 {"Pod", "{'spec':null,'status':null}", true},
                 {"Pod", "{'spec':1}", false},
                 {"Pod", "{'spec':[]}", false},
                 {"Pod", "{'spec':{'other':1}}", false},
                 {"Pod", "{'spec':{'kind':'x'}}", false},
                 {"Pod", "{'metadata':{'apiVersion':'x'}}", false},
                 {"Pod", "{'spec':{'hostNetwork':true,'nodeName':'n','priority':1}}", true},
                 {"Pod", "{'spec':{'nodeName':'n','hostNetwork':true}}", true},
                 {"Pod", "{'spec':{'hostNetwork':'true'}}", false},
                 {"Pod", "{'spec':{'nodeName':1}}", false},
                 {"Pod", "{'spec':{'priority':'1'}}", false},
             });
}

TEST_F(ObjectsFit, ListsAndMaps_HoldFittingValues) {
  Expect("", {
                 {"Pod", "{'spec':{'containers':[]}}", true},
                 {"Pod", "{'spec':{'containers':[{'name':'c'},null,{}]}}", true},
                 {"Pod", "{'spec':{'containers':{}}}", false},
                 {"Pod", "{'spec':{'containers':1}}", false},
                 {"Pod", "{'spec':{'containers':[{'name':'c'},1]}}", false},
                 {"Pod", "{'spec':{'containers':[{'name':1},{}]}}", false},
                 {"Pod", "{'spec':{'containers':[{'command':['a','b']}]}}", true},
                 {"Pod", "{'spec':{'containers':[{'command':['a',2]}]}}", false},
                 {"Pod", "{'spec':{'containers':[{'command':'a'}]}}", false},
                 {"Pod", "{'metadata':{'labels':{'a':'b','c':null}}}", true},
                 {"Pod", "{'metadata':{'labels':{'a':'b','c':1}}}", false},
                 {"Pod", "{'metadata':{'labels':[]}}", false},
                 {"Pod", "{'metadata':{'labels':'a'}}", false},
             });
}

TEST_F(ObjectsFit, ObjectsInsideOfOthers_MayNameTheirKind) {
  const auto set = [](const std::string& claim) {
    return "{'spec':{'volumeClaimTemplates':[" + claim + "]}}";
  };
  Expect("apps", {
                     {"StatefulSet", set("{'spec':{}}"), true},
                     {"StatefulSet", set("{'kind':'PersistentVolumeClaim','spec':{}}"), true},
                     {"StatefulSet", set("{'apiVersion':'v1','spec':{}}"), true},
                     {"StatefulSet", set("{'other':'v1'}"), false},
                     {"StatefulSet", set("{'spec':{'kind':'x'}}"), false},
                 });
}

TEST_F(ObjectsFit, FieldsOfSeveralForms_AreCheckedElsewhere) {
  const auto definition = [](const std::string& schema) {
    return "{'spec':{'versions':[{'schema':{'openAPIV3Schema':" + schema + "}}]}}";
  };
  Expect("apiextensions.k8s.io",
         {
             {"CustomResourceDefinition", definition("{'type':'object'}"), true},
             {"CustomResourceDefinition", definition("{'items':null}"), true},
             {"CustomResourceDefinition", definition("{'items':{'type':'object'}}"), false},
             {"CustomResourceDefinition", definition("{'additionalProperties':true}"), false},
         });
}

}  // namespace
}  // namespace kinformer::apiserver
