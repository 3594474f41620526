#include "apiserver/builtin/bootstrap_objects.h"

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Quoted;

// Thu, 01 Jan 1970 00:00:01.5
constexpr WallTime kNow{std::chrono::milliseconds(1500)};

ApiServerOptions Options() {
  ApiServerOptions options;
  options.service_cluster_ip_range = "10.96.0.0/12";
  options.advertise_address = "192.0.2.7";
  options.advertise_port = 6443;
  return options;
}

// Returns the objects as text by "group/plural/name".
std::map<std::string, std::string> Objects(const ApiServerOptions& options) {
  std::map<std::string, std::string> out;
  for (const BootstrapObject& made : BootstrapObjects(options, kNow, "id")) {
    EXPECT_EQ(made.version, "v1");
    const std::string name = made.object.At("/metadata/name").StringOrEmpty();
    out[std::string(made.group) + "/" + std::string(made.plural) + "/" + name] =
        made.object.Dump({.sort_keys = true});
  }
  return out;
}

std::string Sorted(const std::string& quoted) { return Quoted(quoted).Dump({.sort_keys = true}); }

TEST(BootstrapObjects, PriorityClasses_HaveTheirValues) {
  auto objects = Objects(Options());
  EXPECT_EQ(objects["scheduling.k8s.io/priorityclasses/system-node-critical"],
            Sorted("{'metadata':{'name':'system-node-critical'},'value':2000001000,'description':"
                   "'Used for system critical pods that must not be moved from their current "
                   "node.','preemptionPolicy':'PreemptLowerPriority'}"));
  EXPECT_EQ(objects["scheduling.k8s.io/priorityclasses/system-cluster-critical"],
            Sorted("{'metadata':{'name':'system-cluster-critical'},'value':2000000000,"
                   "'description':'Used for system critical pods that must run in the cluster, but "
                   "can be moved to another node if necessary.','preemptionPolicy':"
                   "'PreemptLowerPriority'}"));
  EXPECT_EQ(SystemPriority("system-node-critical"), 2000001000);
  EXPECT_EQ(SystemPriority("system-cluster-critical"), 2000000000);
  EXPECT_EQ(SystemPriority("other"), std::nullopt);
  EXPECT_EQ(SystemPriority(""), std::nullopt);
}

TEST(BootstrapObjects, PriorityLevels_HaveTheirQueues) {
  struct Row {
    const char* name;
    const char* spec;
  };
  const std::vector<Row> rows = {
      {"system",
       "'nominalConcurrencyShares':30,'lendablePercent':33,'limitResponse':{'type':"
       "'Queue','queuing':{'queues':64,'handSize':6,'queueLengthLimit':50}}"},
      {"node-high",
       "'nominalConcurrencyShares':40,'lendablePercent':25,'limitResponse':{'type':"
       "'Queue','queuing':{'queues':64,'handSize':6,'queueLengthLimit':50}}"},
      {"leader-election",
       "'nominalConcurrencyShares':10,'lendablePercent':0,'limitResponse':{'type':"
       "'Queue','queuing':{'queues':16,'handSize':4,'queueLengthLimit':50}}"},
      {"workload-high",
       "'nominalConcurrencyShares':40,'lendablePercent':50,'limitResponse':{'type':"
       "'Queue','queuing':{'queues':128,'handSize':6,'queueLengthLimit':50}}"},
      {"workload-low",
       "'nominalConcurrencyShares':100,'lendablePercent':90,'limitResponse':{'type':"
       "'Queue','queuing':{'queues':128,'handSize':6,'queueLengthLimit':50}}"},
      {"global-default",
       "'nominalConcurrencyShares':20,'lendablePercent':50,'limitResponse':{'type':"
       "'Queue','queuing':{'queues':128,'handSize':6,'queueLengthLimit':50}}"},
      {"catch-all",
       "'nominalConcurrencyShares':5,'lendablePercent':0,'limitResponse':{'type':'Reject'}"},
  };
  auto objects = Objects(Options());
  const std::string plural = "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations/";
  const std::string note = "'annotations':{'apf.kubernetes.io/autoupdate-spec':'true'}";
  for (const Row& row : rows) {
    EXPECT_EQ(objects[plural + row.name],
              Sorted(std::string("{'metadata':{'name':'") + row.name + "'," + note +
                     "},'spec':{'type':'Limited','limited':{" + row.spec + "}}}"));
  }
  EXPECT_EQ(objects[plural + "exempt"],
            Sorted("{'metadata':{'name':'exempt'," + note +
                   "},'spec':{'type':'Exempt','exempt':{'nominalConcurrencyShares':0,"
                   "'lendablePercent':0}}}"));
}

constexpr const char* kAll =
    "'resourceRules':[{'apiGroups':['*'],'resources':['*'],'verbs':['*'],'namespaces':['*'],"
    "'clusterScope':true}],'nonResourceRules':[{'verbs':['*'],'nonResourceURLs':['*']}]";
constexpr const char* kEverybody =
    "{'kind':'Group','group':{'name':'system:unauthenticated'}},"
    "{'kind':'Group','group':{'name':'system:authenticated'}}";

TEST(BootstrapObjects, FlowSchemas_HaveTheirRules) {
  struct Row {
    const char* name;
    int precedence;
    const char* level;
    const char* distinguisher;
    const char* subjects;
    const char* rules;
  };
  const std::vector<Row> rows = {
      {"system-nodes", 500, "system", "ByUser", "{'kind':'Group','group':{'name':'system:nodes'}}",
       kAll},
      {"system-node-high", 400, "node-high", "ByUser",
       "{'kind':'Group','group':{'name':'system:nodes'}}",
       "'resourceRules':[{'apiGroups':[''],'resources':['nodes','nodes/status'],'verbs':['*'],"
       "'namespaces':['*'],'clusterScope':true},{'apiGroups':['coordination.k8s.io'],'resources':"
       "['leases'],'verbs':['*'],'namespaces':['*']}]"},
      {"probes", 2, "exempt", "", kEverybody,
       "'nonResourceRules':[{'verbs':['get'],'nonResourceURLs':['/healthz','/readyz','/livez']}]"},
      {"system-leader-election", 100, "leader-election", "ByUser",
       "{'kind':'User','user':{'name':'system:kube-controller-manager'}},"
       "{'kind':'User','user':{'name':'system:kube-scheduler'}},"
       "{'kind':'ServiceAccount','serviceAccount':{'name':'*','namespace':'kube-system'}}",
       "'resourceRules':[{'apiGroups':['coordination.k8s.io'],'resources':['leases'],"
       "'verbs':['get','create','update'],'namespaces':['*']}]"},
      {"kube-controller-manager", 800, "workload-high", "ByNamespace",
       "{'kind':'User','user':{'name':'system:kube-controller-manager'}}", kAll},
      {"kube-scheduler", 800, "workload-high", "ByNamespace",
       "{'kind':'User','user':{'name':'system:kube-scheduler'}}", kAll},
      {"kube-system-service-accounts", 900, "workload-high", "ByNamespace",
       "{'kind':'ServiceAccount','serviceAccount':{'name':'*','namespace':'kube-system'}}", kAll},
      {"service-accounts", 9000, "workload-low", "ByUser",
       "{'kind':'Group','group':{'name':'system:serviceaccounts'}}", kAll},
      {"global-default", 9900, "global-default", "ByUser", kEverybody, kAll},
      {"catch-all", 10000, "catch-all", "ByUser", kEverybody, kAll},
      {"exempt", 1, "exempt", "", "{'kind':'Group','group':{'name':'system:masters'}}", kAll},
  };
  auto objects = Objects(Options());
  for (const Row& row : rows) {
    const std::string name(row.name);
    const std::string method(row.distinguisher);
    const std::string message =
        "This FlowSchema references the PriorityLevelConfiguration object "
        "named \\'" +
        std::string(row.level) + "\\' and it exists";
    EXPECT_EQ(objects["flowcontrol.apiserver.k8s.io/flowschemas/" + name],
              Sorted("{'metadata':{'name':'" + name +
                     "','annotations':{'apf.kubernetes.io/autoupdate-spec':'true'}},'spec':{"
                     "'priorityLevelConfiguration':{'name':'" +
                     row.level + "'},'matchingPrecedence':" + std::to_string(row.precedence) +
                     ",'rules':[{'subjects':[" + row.subjects + "]," + row.rules + "}]" +
                     (method.empty() ? "" : ",'distinguisherMethod':{'type':'" + method + "'}") +
                     "},'status':{'conditions':[{'type':'Dangling','status':'False',"
                     "'lastTransitionTime':'1970-01-01T00:00:01Z','reason':'Found','message':'" +
                     message + "'}]}}"));
  }
}

TEST(BootstrapObjects, OwnService_HasAddressAndEndpoints) {
  auto objects = Objects(Options());
  EXPECT_EQ(objects["/services/kubernetes"],
            Sorted("{'metadata':{'name':'kubernetes','namespace':'default','labels':{'component':"
                   "'apiserver','provider':'kubernetes'}},'spec':{'type':'ClusterIP','clusterIP':"
                   "'10.96.0.1','clusterIPs':['10.96.0.1'],'sessionAffinity':'None',"
                   "'ipFamilyPolicy':'SingleStack','ports':[{'name':'https','protocol':'TCP',"
                   "'port':443,'targetPort':6443}]}}"));
  EXPECT_EQ(
      objects["/endpoints/kubernetes"],
      Sorted("{'metadata':{'name':'kubernetes','namespace':'default','labels':"
             "{'endpointslice.kubernetes.io/skip-mirror':'true'}},'subsets':[{'addresses':"
             "[{'ip':'192.0.2.7'}],'ports':[{'name':'https','port':6443,'protocol':'TCP'}]}]}"));
  EXPECT_EQ(objects["discovery.k8s.io/endpointslices/kubernetes"],
            Sorted("{'metadata':{'name':'kubernetes','namespace':'default','labels':"
                   "{'kubernetes.io/service-name':'kubernetes'}},'addressType':'IPv4','endpoints':"
                   "[{'addresses':['192.0.2.7'],'conditions':{'ready':true}}],'ports':[{'name':"
                   "'https','port':6443,'protocol':'TCP'}]}"));
  EXPECT_EQ(objects["networking.k8s.io/servicecidrs/kubernetes"],
            Sorted("{'metadata':{'name':'kubernetes'},'spec':{'cidrs':['10.96.0.0/12']},'status':"
                   "{'conditions':[{'type':'Ready','status':'True','lastTransitionTime':"
                   "'1970-01-01T00:00:01Z','reason':'','message':'Kubernetes default Service CIDR "
                   "is ready'}]}}"));
  EXPECT_EQ(objects["coordination.k8s.io/leases/apiserver-id"],
            Sorted("{'metadata':{'name':'apiserver-id','namespace':'kube-system','labels':"
                   "{'apiserver.kubernetes.io/identity':'kube-apiserver','kubernetes.io/hostname':"
                   "'kinformer'},'annotations':{'kubernetes.io/peer-advertise-address':"
                   "'192.0.2.7:6443'}},'spec':{'holderIdentity':'apiserver-id',"
                   "'leaseDurationSeconds':3600,'renewTime':'1970-01-01T00:00:01.500000Z'}}"));
  EXPECT_EQ(objects["/componentstatuses/etcd-0"],
            Sorted("{'metadata':{'name':'etcd-0'},'conditions':[{'type':'Healthy','status':'True',"
                   "'message':'ok'}]}"));
  EXPECT_EQ(objects.size(), 2U + 8U + 11U + 3U + 4U + 1U);
}

TEST(BootstrapObjects, WithoutRange_ThereIsNoService) {
  ApiServerOptions options = Options();
  options.service_cluster_ip_range = "none";
  auto objects = Objects(options);
  EXPECT_EQ(objects.count("/services/kubernetes"), 0U);
  EXPECT_EQ(objects.size(), 2U + 8U + 11U + 3U + 1U);
}

}  // namespace
}  // namespace kinformer::apiserver
