#include "apiserver/builtin/defaults_computed.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Quoted;

struct Row {
  const char* message;
  const char* kind;
  const char* sent;
  const char* computed;
};

constexpr const char* kService = "k8s.io.api.core.v1.ServiceSpec";
constexpr const char* kWhole = "k8s.io.api.core.v1.Service";
constexpr const char* kPod = "k8s.io.api.core.v1.PodSpec";
constexpr const char* kStatus = "k8s.io.api.core.v1.PodStatus";
constexpr const char* kLimits = "k8s.io.api.core.v1.LimitRangeItem";
constexpr const char* kJob = "k8s.io.api.batch.v1.Job";

TEST(ComputedDefaults, Values_DependOnOthers) {
  const std::vector<Row> rows = {
      {kJob, "", "{'spec':{'template':{'metadata':{'labels':{'a':'b'}}}}}",
       "{'spec':{'template':{'metadata':{'labels':{'a':'b'}}}},'metadata':{'labels':{'a':'b'}}}"},
      {kJob, "", "{'spec':{}}", "{'spec':{}}"},
      {kPod, "", "{'serviceAccountName':'a','serviceAccount':'b'}",
       "{'serviceAccountName':'a','serviceAccount':'a'}"},
      {kPod, "v1 Pod", "{'serviceAccountName':'a','serviceAccount':'b'}",
       "{'serviceAccountName':'a','serviceAccount':'a'}"},
      {kPod, "", "{'serviceAccount':'b'}", "{'serviceAccount':'b'}"},
      {kPod, "v1 Pod",
       "{'hostNetwork':true,'initContainers':[{'ports':[{'containerPort':1},{'containerPort':2,"
       "'hostPort':3},{'containerPort':4,'hostPort':0},{'hostPort':0}]}]}",
       "{'hostNetwork':true,'initContainers':[{'ports':[{'containerPort':1,'hostPort':1},"
       "{'containerPort':2,'hostPort':3},{'containerPort':4,'hostPort':4},{'hostPort':0}]}]}"},
      {kPod, "v1 Pod", "{'containers':[{'ports':[{'containerPort':1}]}]}",
       "{'containers':[{'ports':[{'containerPort':1}]}]}"},
      {kPod, "apps/v1 Deployment",
       "{'hostNetwork':true,'containers':[{'ports':[{'containerPort':1}]}]}",
       "{'hostNetwork':true,'containers':[{'ports':[{'containerPort':1}]}]}"},
      {kStatus, "", "{'podIPs':[{'ip':'1'},{'ip':'2'}]}",
       "{'podIPs':[{'ip':'1'},{'ip':'2'}],'podIP':'1'}"},
      {kStatus, "", "{'podIP':'1'}", "{'podIP':'1','podIPs':[{'ip':'1'}]}"},
      {kStatus, "", "{'podIP':'1','podIPs':[{'ip':'2'},{'ip':'1'}]}",
       "{'podIP':'1','podIPs':[{'ip':'1'}]}"},
      {kStatus, "", "{'podIP':'1','podIPs':[{'ip':'1'},{'ip':'2'}]}",
       "{'podIP':'1','podIPs':[{'ip':'1'},{'ip':'2'}]}"},
      {kStatus, "", "{}", "{}"},
      {"k8s.io.api.core.v1.NodeSpec", "", "{'podCIDR':'1'}", "{'podCIDR':'1','podCIDRs':['1']}"},
      {"k8s.io.api.core.v1.NodeSpec", "", "{'podCIDRs':['1','2']}",
       "{'podCIDRs':['1','2'],'podCIDR':'1'}"},
      {kLimits, "", "{'type':'Container','max':{'cpu':'4'},'min':{'cpu':'1','memory':'2'}}",
       "{'type':'Container','max':{'cpu':'4'},'min':{'cpu':'1','memory':'2'},'default':"
       "{'cpu':'4'},'defaultRequest':{'cpu':'4','memory':'2'}}"},
      {kLimits, "", "{'type':'Pod','max':{'cpu':'4'}}", "{'type':'Pod','max':{'cpu':'4'}}"},
      {kService, "", "{'sessionAffinity':'None','sessionAffinityConfig':{}}",
       "{'sessionAffinity':'None'}"},
      {kService, "", "{'sessionAffinityConfig':{}}", "{}"},
      {kService, "", "{'sessionAffinity':'ClientIP','sessionAffinityConfig':{}}",
       "{'sessionAffinity':'ClientIP'}"},
      {kService, "",
       "{'sessionAffinity':'ClientIP','sessionAffinityConfig':{'clientIP':{'timeoutSeconds':5}}}",
       "{'sessionAffinity':'ClientIP','sessionAffinityConfig':{'clientIP':{'timeoutSeconds':5}}}"},
      {kService, "", "{'sessionAffinity':'Other','sessionAffinityConfig':{}}",
       "{'sessionAffinity':'Other','sessionAffinityConfig':{}}"},
      {kWhole, "",
       "{'spec':{'type':'LoadBalancer'},'status':{'loadBalancer':{'ingress':[{'ip':'1'},"
       "{'ip':'2','ipMode':'Proxy'},{'hostname':'h'}]}}}",
       "{'spec':{'type':'LoadBalancer'},'status':{'loadBalancer':{'ingress':[{'ip':'1','ipMode':"
       "'VIP'},{'ip':'2','ipMode':'Proxy'},{'hostname':'h'}]}}}"},
      {kWhole, "",
       "{'spec':{'type':'NodePort'},'status':{'loadBalancer':{'ingress':[{'ip':'1'}]}}}",
       "{'spec':{'type':'NodePort'},'status':{'loadBalancer':{'ingress':[{'ip':'1'}]}}}"},
      {kWhole, "", "{'spec':{'type':'LoadBalancer'}}", "{'spec':{'type':'LoadBalancer'}}"},
      {"k8s.io.api.core.v1.Secret", "", "{'stringData':{'a':'hi'},'data':{'a':'x','b':'y'}}",
       "{'data':{'a':'aGk=','b':'y'}}"},
  };
  for (const Row& row : rows) {
    json::Value object = Quoted(row.sent);
    const ComputedDefaults compute = ComputedDefaultsOf(row.message, row.kind);
    ASSERT_NE(compute, nullptr) << row.message;
    compute(*object.IfObject());
    EXPECT_EQ(object.Dump({.sort_keys = true}), Quoted(row.computed).Dump({.sort_keys = true}))
        << row.message << row.sent;
  }
  EXPECT_EQ(ComputedDefaultsOf("k8s.io.api.core.v1.Node", ""), nullptr);
}

}  // namespace
}  // namespace kinformer::apiserver
