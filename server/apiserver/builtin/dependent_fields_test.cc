#include "apiserver/builtin/dependent_fields.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Builtin;
using testing::Lines;
using testing::Quoted;

struct Row {
  const char* resource;
  const char* object;
  const char* causes;
};

void Expect(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    std::vector<StatusCause> causes;
    ValidateDependent(Builtin(row.resource), Quoted(row.object), causes);
    EXPECT_EQ(Lines(causes), row.causes) << row.resource << " " << row.object;
  }
}

TEST(DependentFields, Service_NeedsPortsAndTheirNames) {
  Expect({
      {"services", "{'spec':{'type':'ClusterIP'}}", "spec.ports: Required value\n"},
      {"services", "{'spec':{'type':'ExternalName'}}", ""},
      {"services", "{'spec':{'type':'ClusterIP','clusterIP':'None'}}", ""},
      {"services", "{'spec':{'ports':[{'port':1}]}}", ""},
      {"services", "{'spec':{'ports':[{'port':1},{'port':2,'name':'b'}]}}",
       "spec.ports[0].name: Required value\n"},
      {"services", "{'spec':{'ports':[{'name':''},{'name':'b'},{}]}}",
       "spec.ports[0].name: Required value\nspec.ports[2].name: Required value\n"},
      {"endpoints", "{'subsets':[{'ports':[{}]},{'ports':[{'name':'a'},{}]}]}",
       "subsets[1].ports[1].name: Required value\n"},
      {"endpoints", "{'subsets':[{'ports':[{},{'name':'a'}]}]}",
       "subsets[0].ports[0].name: Required value\n"},
      {"endpoints", "{}", ""},
      {"pods", "{'spec':{'ports':[{},{}]}}", ""},
      {"other/services", "{'spec':{}}", ""},
  });
  // The missing ports come before other problems of the spec, and after those of the metadata.
  std::vector<StatusCause> causes = {Required("metadata.name"), Required("spec.x")};
  ValidateDependent(Builtin("services"), Quoted("{'spec':{}}"), causes);
  EXPECT_EQ(Lines(causes),
            "metadata.name: Required value\nspec.ports: Required value\nspec.x: Required value\n");
}

TEST(DependentFields, ManyMissingNames_AreNotAllReported) {
  json::Value service = Quoted("{'spec':{'ports':[]}}");
  json::Value endpoints = Quoted("{'subsets':[]}");
  json::Value role = Quoted("{'rules':[]}");
  for (std::size_t i = 0; i < 2 * kMaxCauses; ++i) {
    service.Ensure("spec", "ports").Append(Quoted("{}"));
    endpoints.Ensure("subsets").Append(Quoted("{'ports':[{},{'name':'b'}]}"));
    role.Ensure("rules").Append(Quoted("{'apiGroups':['']}"));
  }
  for (const auto& [resource, object] :
       {std::pair("services", service), std::pair("endpoints", endpoints),
        std::pair("rbac.authorization.k8s.io/clusterroles", role)}) {
    std::vector<StatusCause> causes;
    ValidateDependent(Builtin(resource), object, causes);
    EXPECT_EQ(causes.size(), kMaxCauses) << resource;
  }
}

TEST(DependentFields, Workload_NeedsASelector) {
  constexpr const char* kNone =
      "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match "
      "template `labels`\n";
  constexpr const char* kWith =
      "{'spec':{'selector':{},'template':{'metadata':{'labels':{'a':'b'}}}}}";
  constexpr const char* kWithout = "{'spec':{'template':{'metadata':{'labels':{'a':'b'}}}}}";
  for (const char* kind :
       {"apps/deployments", "apps/replicasets", "apps/statefulsets", "apps/daemonsets"}) {
    Expect({{kind, kWith, ""}, {kind, kWithout, kNone}});
  }
  Expect({
      {"apps/controllerrevisions", kWithout, ""},
      {"batch/deployments", kWithout, ""},
      {"replicationcontrollers", "{'spec':{'selector':{'a':'b'}}}", ""},
      {"replicationcontrollers", "{'spec':{'selector':{}}}", "spec.selector: Required value\n"},
      {"replicationcontrollers", "{'spec':{}}", "spec.selector: Required value\n"},
  });
  std::vector<StatusCause> causes = {Required("spec.selector"), Required("spec.template.spec.x")};
  ValidateDependent(Builtin("apps/deployments"), Quoted(kWithout), causes);
  EXPECT_EQ(Lines(causes), std::string("spec.selector: Required value\n") + kNone +
                               "spec.template.spec.x: Required value\n");
}

TEST(DependentFields, Job_RestartsItsPodsOnFailureOrNever) {
  for (const char* policy : {"", "Always", "OnFailure", "Never"}) {
    const std::string pod = "{'template':{'spec':{'restartPolicy':'" + std::string(policy) + "'}}}";
    const bool good = std::string(policy) == "OnFailure" || std::string(policy) == "Never";
    const std::string why =
        ".restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"\n";
    Expect({{"batch/jobs", ("{'spec':" + pod + "}").c_str(),
             good ? "" : ("spec.template.spec" + why).c_str()},
            {"batch/cronjobs", ("{'spec':{'jobTemplate':{'spec':" + pod + "}}}").c_str(),
             good ? "" : ("spec.jobTemplate.spec.template.spec" + why).c_str()}});
  }
  Expect({{"other/jobs", "{'spec':{}}", ""}, {"other/cronjobs", "{'spec':{}}", ""}});
}

TEST(DependentFields, Pod_NeedsAnOwnDnsConfig) {
  Expect({
      {"pods", "{'spec':{'dnsPolicy':'ClusterFirst'}}", ""},
      {"pods", "{'spec':{'dnsPolicy':'None'}}",
       "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None\n"},
      {"pods", "{'spec':{'dnsPolicy':'None','dnsConfig':{}}}",
       "spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when "
       "`dnsPolicy` is None\n"},
      {"pods", "{'spec':{'dnsPolicy':'None','dnsConfig':{'nameservers':['192.0.2.1']}}}", ""},
      {"nodes", "{'spec':{'dnsPolicy':'None'}}", ""},
  });
}

TEST(DependentFields, OtherKinds_NeedWhatBelongsTogether) {
  Expect({
      {"rbac.authorization.k8s.io/clusterroles", "{'rules':[{'nonResourceURLs':['/x']}]}", ""},
      {"rbac.authorization.k8s.io/clusterroles",
       "{'rules':[{'apiGroups':[''],'resources':['pods']}]}", ""},
      {"rbac.authorization.k8s.io/clusterroles",
       "{'rules':[{'nonResourceURLs':['/x']},{'apiGroups':['']},{'resources':['pods']}]}",
       "rules[1].resources: Required value: resource rules must supply at least one resource\n"
       "rules[2].apiGroups: Required value: resource rules must supply at least one api group\n"},
      {"rbac.authorization.k8s.io/clusterroles", "{'rules':[{'apiGroups':['']}]}",
       "rules[0].resources: Required value: resource rules must supply at least one resource\n"},
      {"rbac.authorization.k8s.io/clusterroles", "{}", ""},
      {"rbac.authorization.k8s.io/roles", "{'rules':[{'apiGroups':['']}]}", ""},
      {"persistentvolumes", "{'spec':{'local':{}}}",
       "spec.nodeAffinity: Required value: Local volume requires node affinity\n"},
      {"persistentvolumes", "{'spec':{'local':{},'nodeAffinity':{}}}", ""},
      {"persistentvolumes", "{'spec':{}}", ""},
      {"persistentvolumeclaims", "{'spec':{'local':{}}}", ""},
  });
}

TEST(DependentFields, Secret_NeedsTheKeysOfItsType) {
  Expect({
      {"secrets", "{'type':'Opaque'}", ""},
      {"secrets", "{'type':'kubernetes.io/tls'}",
       "data[tls.crt]: Required value\ndata[tls.key]: Required value\n"},
      {"secrets", "{'type':'kubernetes.io/tls','data':{'tls.crt':''}}",
       "data[tls.key]: Required value\n"},
      {"secrets", "{'type':'kubernetes.io/tls','data':{'tls.crt':'','tls.key':''}}", ""},
      {"secrets", "{'type':'kubernetes.io/dockerconfigjson'}",
       "data[.dockerconfigjson]: Required value\n"},
      {"secrets", "{'type':'kubernetes.io/dockercfg'}", "data[.dockercfg]: Required value\n"},
      {"secrets", "{'type':'kubernetes.io/dockercfg','data':{'.dockercfg':''}}", ""},
      {"secrets", "{'type':'kubernetes.io/ssh-auth'}", "data[ssh-privatekey]: Required value\n"},
      {"secrets", "{'type':'kubernetes.io/basic-auth'}",
       "data[username]: Required value\ndata[password]: Required value\n"},
      {"secrets", "{'type':'kubernetes.io/basic-auth','data':{'username':''}}", ""},
      {"secrets", "{'type':'kubernetes.io/basic-auth','data':{'password':''}}", ""},
      {"secrets", "{'type':'kubernetes.io/service-account-token'}",
       "metadata.annotations[kubernetes.io/service-account.name]: Required value\n"},
      {"secrets",
       "{'type':'kubernetes.io/service-account-token','metadata':{'annotations':"
       "{'kubernetes.io/service-account.name':'a'}}}",
       ""},
      {"configmaps", "{'type':'kubernetes.io/tls'}", ""},
  });
}

}  // namespace
}  // namespace kinformer::apiserver
