#include "apiserver/builtin/field_checks.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/internal/registry.h"

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;

std::vector<StatusCause> Causes(const std::string& group, const std::string& version,
                                const std::string& kind, const json::Value& object) {
  const KindInfo* type = internal::FindType(group, version, kind);
  EXPECT_NE(type, nullptr) << kind;
  std::vector<StatusCause> causes;
  ValidateFields(*type->message, object, causes);
  return causes;
}

struct Row {
  const char* object;
  const char* lines;
};

void Expect(const std::string& group, const std::string& version, const std::string& kind,
            const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    EXPECT_EQ(Lines(Causes(group, version, kind, Quoted(row.object))), row.lines) << row.object;
  }
}

TEST(RequiredFields, Members_MustBeThereAndNotEmpty) {
  Expect(
      "", "v1", "Pod",
      {
          {"{'spec':{'containers':[{'name':'c','image':'i'}]}}", ""},
          {"{}", "spec.containers: Required value\n"},
          {"{'spec':null}", "spec.containers: Required value\n"},
          {"{'spec':{'containers':[]}}", "spec.containers: Required value\n"},
          {"{'spec':{'containers':null}}", "spec.containers: Required value\n"},
          {"{'spec':{'containers':[{'image':'i'}]}}", "spec.containers[0].name: Required value\n"},
          {"{'spec':{'containers':[{'name':'','image':'i'}]}}",
           "spec.containers[0].name: Required value\n"},
          {"{'spec':{'containers':[{'name':'c','image':'i'},{'name':'d'}]}}",
           "spec.containers[1].image: Required value\n"},
          {"{'spec':{'containers':[{}]}}",
           "spec.containers[0].name: Required value\n"
           "spec.containers[0].image: Required value\n"},
          {"{'status':{'x':1},'spec':{'containers':[{'name':'c','image':'i','env':[{}]}]}}",
           "spec.containers[0].env[0].name: Required value\n"},
      });
  Expect("", "v1", "Service",
         {
             {"{'spec':{'ports':[{'port':1}]}}", ""},
             {"{'spec':{'ports':[{'port':0}]}}",
              "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive\n"
              "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, "
              "inclusive\n"},
         });
}

TEST(RequiredFields, Alternatives_OneIsEnough) {
  const auto pod = [](const std::string& container) {
    return Lines(
        Causes("", "v1", "Pod",
               Quoted("{'spec':{'containers':[{'name':'c','image':'i'," + container + "}]}}")));
  };
  const std::string at = "spec.containers[0].";
  const std::string handler = at + "livenessProbe: Required value: must specify a handler type\n";
  EXPECT_EQ(pod("'livenessProbe':{}"), handler);
  EXPECT_EQ(pod("'livenessProbe':{'periodSeconds':1}"), handler);
  EXPECT_EQ(pod("'livenessProbe':{'exec':null}"), handler);
  EXPECT_EQ(pod("'livenessProbe':{'exec':{}}"), at + "livenessProbe.exec.command: Required value\n")
      << "a pointer is there or not";
  EXPECT_EQ(pod("'livenessProbe':{'exec':{'command':['x']}}"), "");
  EXPECT_EQ(pod("'livenessProbe':{'tcpSocket':{'port':1}}"), "");
  EXPECT_EQ(pod("'livenessProbe':null"), "");
  EXPECT_EQ(pod("'env':[{'name':'e','valueFrom':{'fieldRef':{}}}]"),
            at + "env[0].valueFrom.fieldRef.fieldPath: Required value\n");
}

TEST(RequiredFields, Causes_NameFieldsRelativeToTheirPlace) {
  const auto pod = [](const std::string& spec) {
    return Lines(Causes("", "v1", "Pod",
                        Quoted("{'spec':{'containers':[{'name':'c','image':'i'}]," + spec + "}}")));
  };
  const auto items = [&](const std::string& list) {
    return pod("'volumes':[{'name':'v','downwardAPI':{'items':[" + list + "]}}]");
  };
  const std::string at = "spec.volumes[0].downwardAPI";
  EXPECT_EQ(items("{'path':'p','fieldRef':{'fieldPath':'f'}}"), "");
  EXPECT_EQ(items("{'fieldRef':{'fieldPath':'f'}}"), at + ".path: Required value\n");
  EXPECT_EQ(items("{'path':'p'}"),
            at + ": Required value: one of fieldRef and resourceFieldRef is required\n");
  EXPECT_EQ(items("{'path':'p','fieldRef':{}}"), at + ".fieldRef.fieldPath: Required value\n");
  Expect("", "v1", "Node",
         {{"{'spec':{'taints':[{'key':'k','effect':'e'},{'key':'k'}]}}",
           "metadata.taints[1].effect: Required value\n"}});
  Expect(
      "", "v1", "PersistentVolumeClaim",
      {{"{'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1'}}}}", ""},
       {"{'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{}}}}",
        "spec.resources[storage]: Required value\n"},
       {"{'spec':{'accessModes':['ReadWriteOnce']}}",
        "spec.resources[storage]: Required value\n"}});
  Expect("networking.k8s.io", "v1", "Ingress",
         {{"{'spec':{'defaultBackend':{'service':{'name':'s','port':{'number':1}}}}}", ""},
          {"{'spec':{'defaultBackend':{'service':{'name':'s','port':{'name':'p'}}}}}", ""},
          {"{'spec':{'defaultBackend':{'service':{'name':'s'}}}}",
           "spec.defaultBackend: Required value: port name or number is required\n"},
          {"{'spec':{}}",
           "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified\n"}});
}

TEST(RequiredFields, Needs_DependOnAnotherMember) {
  const auto selector = [](const std::string& requirement) {
    return Lines(
        Causes("apps", "v1", "Deployment",
               Quoted("{'spec':{'selector':{'matchExpressions':[{'key':'a'," + requirement +
                      "}]},'template':{'spec':{'containers':[{'name':'c','image':'i'}]}"
                      "}}}")));
  };
  const std::string values =
      "spec.selector.matchExpressions[0].values: Required value: must be specified when "
      "`operator` is 'In' or 'NotIn'\n";
  EXPECT_EQ(selector("'operator':'In'"), values);
  EXPECT_EQ(selector("'operator':'NotIn'"), values);
  EXPECT_EQ(selector("'operator':'NotIn','values':[]"), values);
  EXPECT_EQ(selector("'operator':'Exists'"), "");
  EXPECT_EQ(selector("'operator':'In','values':['x']"), "");
  Expect("", "v1", "Service",
         {{"{'spec':{'type':'ExternalName'}}", "spec.externalName: Required value\n"},
          {"{'spec':{'type':'ExternalName','externalName':'n'}}", ""},
          {"{'spec':{'type':'ClusterIP'}}", ""},
          {"{'spec':{}}", ""}});
}

TEST(RequiredFields, Needs_DependOnThePlace) {
  const std::string group = "rbac.authorization.k8s.io";
  const Row without = {
      "{'roleRef':{'kind':'ClusterRole','name':'r'},'subjects':[{'kind':'ServiceAccount',"
      "'name':'s'}]}",
      "subjects[0].namespace: Required value\n"};
  Expect(group, "v1", "ClusterRoleBinding", {without});
  Expect(group, "v1", "RoleBinding", {{without.object, ""}});
  Expect(group, "v1", "ClusterRoleBinding",
         {{"{'roleRef':{'kind':'ClusterRole','name':'r'},'subjects':[{'kind':'User',"
           "'name':'s'}]}",
           ""}});
  Expect(group, "v1", "ClusterRoleBinding",
         {{"{'roleRef':{'name':'r'}}",
           "roleRef.kind: Unsupported value: \"\": supported values: \"ClusterRole\"\n"}});
  Expect(group, "v1", "RoleBinding",
         {{"{'roleRef':{'name':'r'}}",
           "roleRef.kind: Unsupported value: \"\": supported values: \"Role\", "
           "\"ClusterRole\"\n"}});
}

TEST(RequiredFields, Causes_HaveReasonsAndALimit) {
  const auto one = Causes("", "v1", "Pod", Quoted("{}"));
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].reason, "FieldValueRequired");
  EXPECT_EQ(one[0].message, "Required value");
  json::Value pod = Quoted("{'spec':{'containers':[]}}");
  for (int i = 0; i < 300; ++i) {
    pod.Ensure("spec", "containers").Append(json::Value::MakeObject({{"name", "c"}}));
  }
  EXPECT_EQ(Causes("", "v1", "Pod", pod).size(), kMaxCauses);
  json::Value odd = Quoted("{'spec':{'containers':[{'name':'c'}]}}");
  for (int i = 0; i < 300; ++i) {
    odd.Ensure("spec", "containers").Append(json::Value::MakeObject());
  }
  EXPECT_EQ(Causes("", "v1", "Pod", odd).size(), kMaxCauses);
}

}  // namespace
}  // namespace kinformer::apiserver
