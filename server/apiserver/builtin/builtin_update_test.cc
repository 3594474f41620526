#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/base/simulation.h"

#include "apiserver/builtin/builtin_strategy.h"
#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Builtin;
using testing::Lines;
using testing::Quoted;
using testing::ValueAt;

std::string Updated(const std::string& resource, const std::string& old, const std::string& sent) {
  json::Value object = Quoted(sent);
  Simulation sim;
  ServerState state(sim.env(), {});
  const BuiltinStrategy strategy(state);
  strategy.Update(Builtin(resource), Quoted(old), object);
  return object.Dump();
}

std::string Merged(const std::string& resource, const char* subresource, const std::string& old,
                   const std::string& sent) {
  json::Value object = Quoted(sent);
  BuiltinStrategy::Merged(Builtin(resource), subresource, WallTime(std::chrono::seconds(60)),
                          Quoted(old), object);
  return object.Dump();
}

TEST(BuiltinUpdate, Pod_KeepsGeneratedValues) {
  const std::string tolerant = "'tolerations':[{'operator':'Exists'}]";
  const std::string same = R"("tolerations":[{"operator":"Exists"}])";
  const std::string old = "{'spec':{'priority':7,'preemptionPolicy':'Never'}}";
  EXPECT_EQ(Updated("pods", old, "{'spec':{" + tolerant + "}}"),
            R"({"spec":{)" + same + R"(,"priority":7,"preemptionPolicy":"Never"}})");
  EXPECT_EQ(Updated("pods", old, "{'spec':{" + tolerant + ",'priority':8}}"),
            R"({"spec":{)" + same + R"(,"priority":8,"preemptionPolicy":"Never"}})");
  EXPECT_EQ(Updated("pods", "{'spec':{}}", "{'spec':{" + tolerant + "}}"),
            R"({"spec":{)" + same + "}}");
  EXPECT_NE(ValueAt(Updated("pods", "{}", "{}"), "/spec/tolerations"), "null");
  EXPECT_EQ(Updated("serviceaccounts", "{}", "{'secrets':[{'name':'a','uid':'u'}]}"),
            R"({"secrets":[{"name":"a"}]})");
  EXPECT_EQ(Updated("configmaps", old, "{'secrets':[{'uid':'u'}]}"),
            R"({"secrets":[{"uid":"u"}]})");
}

TEST(BuiltinUpdate, DaemonSet_CountsChangesOfItsTemplate) {
  const auto set = [](const std::string& generation, const std::string& pod) {
    return "{'metadata':{'annotations':{'deprecated.daemonset.template.generation':'" + generation +
           "'}},'spec':{'template':" + pod + "}}";
  };
  const auto count = [&](const std::string& old, const std::string& sent) {
    const json::Value merged = json::Parse(Merged("apps/daemonsets", "", old, sent)).OrExit();
    return merged.At("/metadata/annotations")["deprecated.daemonset.template.generation"]
        .StringOrEmpty();
  };
  EXPECT_EQ(count(set("4", "1"), set("9", "1")), "4");
  EXPECT_EQ(count(set("4", "1"), set("9", "2")), "5");
  EXPECT_EQ(count("{'spec':{'template':1}}", set("9", "1")), "0");
}

TEST(BuiltinUpdate, Job_IsLabeledLikeItsPodsUnlessItEnds) {
  const std::string spec = "'spec':{'template':{'metadata':{'labels':{'a':'b'}}}}";
  const auto labels = [&](const std::string& old, const std::string& metadata) {
    return ValueAt(Merged("batch/jobs", "", "{'metadata':{" + old + "}}",
                          "{'metadata':{" + metadata + "}," + spec + "}"),
                   "/metadata/labels");
  };
  const std::string copied = R"({"a":"b"})";
  EXPECT_EQ(labels("", ""), copied);
  EXPECT_EQ(labels("", "'labels':{'c':'d'}"), R"({"c":"d"})");
  EXPECT_EQ(labels("'deletionTimestamp':'t'", ""), "null");
  EXPECT_EQ(labels("'deletionTimestamp':'t'", "'finalizers':['f']"), copied);
  EXPECT_EQ(labels("'finalizers':['f']", ""), copied);
  EXPECT_EQ(Merged("batch/jobs", "", "{}", "{'spec':{'template':{}}}"),
            R"({"spec":{"template":{}}})");
}

TEST(BuiltinUpdate, Volume_RemembersWhenItsPhaseChanged) {
  const std::string now = R"("1970-01-01T00:01:00Z")";
  const auto status = [](const std::string& phase, const std::string& time) {
    return "{'phase':'" + phase + "'" +
           (time.empty() ? "" : ",'lastPhaseTransitionTime':'" + time + "'") + "}";
  };
  const auto time = [&](const std::string& old, const std::string& sent,
                        const char* subresource = "status") {
    return ValueAt(Merged("persistentvolumes", subresource, "{'status':" + old + "}",
                          "{'status':" + sent + "}"),
                   "/status/lastPhaseTransitionTime");
  };
  EXPECT_EQ(time(status("A", "t"), status("B", "")), now);
  EXPECT_EQ(time(status("A", "t"), status("B", "t")), now);
  EXPECT_EQ(time(status("A", "t"), status("B", "u")), "\"u\"");
  EXPECT_EQ(time(status("A", "t"), status("A", "")), "\"t\"");
  EXPECT_EQ(time(status("A", "t"), status("A", "u")), "\"u\"");
  EXPECT_EQ(time(status("A", ""), status("A", "")), "null");
  EXPECT_EQ(time(status("A", "t"), status("B", ""), ""), "null");
  EXPECT_EQ(
      Merged("persistentvolumes", "status", "{'status':{'phase':'A'}}", "{'status':{'phase':'A'}}"),
      R"({"status":{"phase":"A"}})");
}

TEST(BuiltinUpdate, Statuses_KeepWhatTheSpecDecides) {
  EXPECT_EQ(Merged("pods", "status", "{'status':{'qosClass':'Burstable'}}", "{'status':{}}"),
            R"({"status":{"qosClass":"Burstable"}})");
  EXPECT_EQ(Merged("pods", "status", "{'status':{'qosClass':'Burstable'}}",
                   "{'status':{'qosClass':'X'}}"),
            R"({"status":{"qosClass":"X"}})");
  EXPECT_EQ(Merged("pods", "", "{'status':{'qosClass':'Burstable'}}", "{'status':{}}"),
            R"({"status":{}})");
  EXPECT_EQ(Merged("nodes", "status", "{'status':{'qosClass':'Burstable'}}", "{'status':{}}"),
            R"({"status":{}})");
  const std::string requests = "certificates.k8s.io/certificatesigningrequests";
  const std::string sent = "{'status':{'conditions':[{'type':'A','lastTransitionTime':'t'}]}}";
  const std::string timed =
      R"({"status":{"conditions":[{"type":"A","lastTransitionTime":"t","lastUpdateTime":)"
      R"("1970-01-01T00:01:00Z"}]}})";
  EXPECT_EQ(Merged(requests, "status", "{}", sent), timed);
  EXPECT_EQ(Merged(requests, "approval", "{}", sent), timed);
  EXPECT_EQ(Merged(requests, "", "{}", sent), Quoted(sent).Dump());
}

TEST(BuiltinUpdate, Service_LosesIngressUnlessALoadBalancer) {
  const std::string ingress = "'status':{'loadBalancer':{'ingress':[{'ip':'192.0.2.1'}]}}}";
  const std::string cluster = "{'spec':{'type':'ClusterIP'}," + ingress;
  const std::string balancer = "{'spec':{'type':'LoadBalancer'}," + ingress;
  EXPECT_EQ(Merged("services", "", "{}", cluster),
            R"({"spec":{"type":"ClusterIP"},"status":{"loadBalancer":{}}})");
  EXPECT_EQ(Merged("services", "", "{}", balancer), Quoted(balancer).Dump());
  EXPECT_EQ(Merged("services", "status", "{}", cluster), Quoted(cluster).Dump());
  EXPECT_EQ(Merged("services", "", "{}", "{'spec':{'type':'ClusterIP'}}"),
            R"({"spec":{"type":"ClusterIP"}})");
}

TEST(BuiltinUpdate, StoredService_HoldsItsAddress) {
  Simulation sim;
  ServerState state(sim.env(), {});
  BuiltinStrategy strategy(state);
  const std::string text =
      "{'metadata':{'name':'s','namespace':'n'},'spec':{'type':'ClusterIP','clusterIP':"
      "'10.96.0.9'}}";
  const auto check = [&] {
    json::Value object = Quoted(text);
    return Lines(strategy.Assign(Builtin("services"), {}, object));
  };
  const StoredObjectPtr stored = StoredObject::Make(Quoted(text), 1, {});
  strategy.Stored(Builtin("configmaps"), *stored, Quoted(text));
  EXPECT_EQ(check(), "");
  strategy.Stored(Builtin("services"), *stored, Quoted(text));
  EXPECT_EQ(check(),
            "spec.clusterIPs: Invalid value: [\"10.96.0.9\"]: failed to allocate IP 10.96.0.9: "
            "provided IP is already allocated\n");
  json::Value other = Quoted(text);
  EXPECT_EQ(Lines(strategy.Assign(Builtin("endpoints"), {}, other)), "");
  strategy.Removed(Builtin("configmaps"), *stored);
  EXPECT_NE(check(), "");
  strategy.Removed(Builtin("services"), *stored);
  EXPECT_EQ(check(), "");
}

}  // namespace
}  // namespace kinformer::apiserver
