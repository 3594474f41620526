#include "demo/cluster_json.h"

#include <fmt/core.h>

namespace kinformer::demo {
namespace {

constexpr std::string_view kBorn = "2026-11-02T08:15:00Z";

std::string PodIp(std::uint64_t serial) {
  return fmt::format("10.{}.{}.{}", 64 + (serial >> 16) % 64, (serial >> 8) & 255, serial & 255);
}

std::string HostIp(std::size_t node) {
  return fmt::format("192.168.{}.{}", node / 250, 1 + node % 250);
}

// The managedFields that the replica set controller and the kubelet write.
std::string PodManagedFields(std::string_view ip) {
  return fmt::format(
      R"(,"managedFields":[{{"manager":"kube-controller-manager","operation":"Update",)"
      R"("apiVersion":"v1","time":"{0}","fieldsType":"FieldsV1",)"
      R"("fieldsV1":{{"f:metadata":{{"f:generateName":{{}},"f:labels":{{".":{{}},"f:app":{{}},)"
      R"("f:pod-template-hash":{{}}}},"f:ownerReferences":{{".":{{}}}}}},)"
      R"("f:spec":{{"f:containers":{{"k:{{\"name\":\"app\"}}":{{".":{{}},"f:image":{{}},)"
      R"("f:name":{{}},"f:ports":{{}},"f:resources":{{}}}}}},"f:restartPolicy":{{}},)"
      R"("f:schedulerName":{{}}}}}}}},{{"manager":"kubelet","operation":"Update",)"
      R"("apiVersion":"v1","time":"{0}","fieldsType":"FieldsV1",)"
      R"("fieldsV1":{{"f:status":{{"f:conditions":{{"k:{{\"type\":\"Ready\"}}":{{".":{{}},)"
      R"("f:status":{{}}}}}},"f:containerStatuses":{{}},"f:hostIP":{{}},"f:phase":{{}},)"
      R"("f:podIP":{{}},"f:podIPs":{{"k:{{\"ip\":\"{1}\"}}":{{".":{{}},"f:ip":{{}}}}}}}}}},)"
      R"("subresource":"status"}}])",
      kBorn, ip);
}

std::string PodStatus(const PodFacts& pod, std::string_view ip) {
  const bool ready = pod.state == PodFacts::State::kRunning;
  std::string container_state;
  switch (pod.state) {
    case PodFacts::State::kScheduled:
      return fmt::format(
          R"("status":{{"phase":"Pending","conditions":[{{"type":"PodScheduled","status":"True",)"
          R"("lastTransitionTime":"{}"}}],"qosClass":"Burstable"}})",
          kBorn);
    case PodFacts::State::kCreating:
      container_state = R"("waiting":{"reason":"ContainerCreating"})";
      break;
    case PodFacts::State::kRunning:
      container_state = fmt::format(R"("running":{{"startedAt":"{}"}})", kBorn);
      break;
    case PodFacts::State::kCrashLoop:
      container_state = R"("waiting":{"reason":"CrashLoopBackOff",)"
                        R"("message":"back-off 40s restarting failed container=app"})";
      break;
  }
  return fmt::format(
      R"("status":{{"phase":"{0}","conditions":[{{"type":"Initialized","status":"True",)"
      R"("lastTransitionTime":"{1}"}},{{"type":"Ready","status":"{2}",)"
      R"("lastTransitionTime":"{1}"}},{{"type":"ContainersReady","status":"{2}",)"
      R"("lastTransitionTime":"{1}"}},{{"type":"PodScheduled","status":"True",)"
      R"("lastTransitionTime":"{1}"}}],"hostIP":"{3}","podIP":"{4}","podIPs":[{{"ip":"{4}"}}],)"
      R"("startTime":"{1}","containerStatuses":[{{"name":"app","state":{{{5}}},"lastState":{{}},)"
      R"("ready":{6},"restartCount":{7},"image":"example.com/{8}:v{9}",)"
      R"("imageID":"example.com/{8}@sha256:{10:064x}","containerID":"containerd://{11:064x}",)"
      R"("started":{6}}}],"qosClass":"Burstable"}})",
      pod.state == PodFacts::State::kCreating ? "Pending" : "Running", kBorn,
      ready ? "True" : "False", HostIp(pod.node), ip, container_state, ready ? "true" : "false",
      pod.restarts, pod.application, pod.revision,
      static_cast<unsigned>(pod.revision) * 2654435761U, pod.serial * 0x9e3779b97f4a7c15ULL);
}

/// The label that the demo's lister query selects by: "frontend" for applications that users reach
/// first, "backend" for the others.
std::string_view TierOf(std::string_view application) {
  return application.starts_with("frontend") || application.starts_with("gateway") ? "frontend"
                                                                                   : "backend";
}

}  // namespace

std::string NodeName(std::size_t index) { return fmt::format("node-{}", index); }

std::string ReplicaSetHash(std::size_t deployment, int revision) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t h = (deployment + 1) * 0x9e3779b97f4a7c15ULL +
                    static_cast<std::uint64_t>(revision) * 0xbf58476d1ce4e5b9ULL;
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += kAlphabet[(h >> 32) % kAlphabet.size()];
    h = h * 6364136223846793005ULL + 1442695040888963407ULL;
  }
  return text;
}

std::string NodeJson(const NodeFacts& node) {
  return fmt::format(
      R"({{"kind":"Node","apiVersion":"v1","metadata":{{"name":"{0}",)"
      R"("labels":{{"kubernetes.io/arch":"amd64","kubernetes.io/hostname":"{0}",)"
      R"("kubernetes.io/os":"linux","topology.kubernetes.io/zone":"zone-{1}"}}}},)"
      R"("spec":{{{2}"providerID":"example://{0}"}},"status":{{"capacity":{{"cpu":"16",)"
      R"("memory":"65536Mi","pods":"110"}},"allocatable":{{"cpu":"15800m","memory":"63488Mi",)"
      R"("pods":"110"}},"conditions":[{{"type":"Ready","status":"True","lastHeartbeatTime":"{3}",)"
      R"("lastTransitionTime":"{3}","reason":"KubeletReady",)"
      R"("message":"kubelet is posting ready status"}}],"addresses":[{{"type":"InternalIP",)"
      R"("address":"{4}"}},{{"type":"Hostname","address":"{0}"}}],"nodeInfo":{{"machineID":"",)"
      R"("systemUUID":"","bootID":"","kernelVersion":"6.1.0","osImage":"Debian GNU/Linux 12",)"
      R"("containerRuntimeVersion":"containerd://2.0.1","kubeletVersion":"v1.37.2",)"
      R"("kubeProxyVersion":"","operatingSystem":"linux","architecture":"amd64"}}}}}})",
      NodeName(node.index), static_cast<char>('a' + node.index % 3),
      node.unschedulable ? R"("unschedulable":true,)" : "", kBorn, HostIp(node.index));
}

std::string NamespaceJson(std::string_view name) {
  return fmt::format(R"({{"kind":"Namespace","apiVersion":"v1","metadata":{{"name":"{0}",)"
                     R"("labels":{{"kubernetes.io/metadata.name":"{0}"}}}},)"
                     R"("spec":{{"finalizers":["kubernetes"]}},"status":{{"phase":"Active"}}}})",
                     name);
}

std::string DeploymentJson(const DeploymentFacts& d) {
  return fmt::format(
      R"({{"kind":"Deployment","apiVersion":"apps/v1","metadata":{{"name":"{0}",)"
      R"("namespace":"{1}","labels":{{"app":"{0}"}},)"
      R"("annotations":{{"deployment.kubernetes.io/revision":"{2}"}}}},"spec":{{"replicas":{3},)"
      R"("selector":{{"matchLabels":{{"app":"{0}"}}}},)"
      R"("template":{{"metadata":{{"labels":{{"app":"{0}"}}}},)"
      R"("spec":{{"containers":[{{"name":"app","image":"example.com/{0}:v{2}",)"
      R"("ports":[{{"containerPort":8080}}],"resources":{{}}}}]}}}},)"
      R"("strategy":{{"type":"RollingUpdate","rollingUpdate":{{"maxUnavailable":1,)"
      R"("maxSurge":0}}}}}},"status":{{"observedGeneration":{2},"replicas":{3},)"
      R"("updatedReplicas":{4},"readyReplicas":{5},"availableReplicas":{5}}}}})",
      d.name, d.namespace_, d.revision, d.replicas, d.updated, d.ready);
}

std::string ReplicaSetJson(const ReplicaSetFacts& r) {
  return fmt::format(
      R"({{"kind":"ReplicaSet","apiVersion":"apps/v1","metadata":{{"name":"{0}-{1}",)"
      R"("namespace":"{2}","labels":{{"app":"{0}","pod-template-hash":"{1}"}},)"
      R"("ownerReferences":[{{"apiVersion":"apps/v1","kind":"Deployment","name":"{0}","uid":"",)"
      R"("controller":true,"blockOwnerDeletion":true}}]}},"spec":{{"replicas":{3},)"
      R"("selector":{{"matchLabels":{{"app":"{0}","pod-template-hash":"{1}"}}}},)"
      R"("template":{{"metadata":{{"labels":{{"app":"{0}","pod-template-hash":"{1}"}}}},)"
      R"("spec":{{"containers":[{{"name":"app","image":"example.com/{0}:v{4}",)"
      R"("resources":{{}}}}]}}}}}},"status":{{"replicas":{3},"readyReplicas":{3}}}}})",
      r.name, r.hash, r.namespace_, r.replicas, r.revision);
}

std::string PodJson(const PodFacts& pod) {
  const std::string ip = PodIp(pod.serial);
  return fmt::format(
      R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{0}","generateName":"{1}-{2}-",)"
      R"("namespace":"{3}","labels":{{"app":"{1}","pod-template-hash":"{2}","tier":"{8}"}},)"
      R"("annotations":{{"prometheus.io/scrape":"true","prometheus.io/port":"8080"}},)"
      R"("ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"{1}-{2}",)"
      R"("uid":"","controller":true,"blockOwnerDeletion":true}}]{4}}},)"
      R"("spec":{{"volumes":[{{"name":"token",)"
      R"("projected":{{"sources":[{{"serviceAccountToken":{{"expirationSeconds":3607,)"
      R"("path":"token"}}}},{{"configMap":{{"name":"kube-root-ca.crt","items":[{{"key":"ca.crt",)"
      R"("path":"ca.crt"}}]}}}}],"defaultMode":420}}}}],"containers":[{{"name":"app",)"
      R"("image":"example.com/{1}:v{5}","ports":[{{"name":"http","containerPort":8080,)"
      R"("protocol":"TCP"}}],"env":[{{"name":"REVISION","value":"{5}"}},{{"name":"POD_IP",)"
      R"("valueFrom":{{"fieldRef":{{"apiVersion":"v1","fieldPath":"status.podIP"}}}}}}],)"
      R"("resources":{{"limits":{{"memory":"512Mi"}},"requests":{{"cpu":"100m",)"
      R"("memory":"256Mi"}}}},"volumeMounts":[{{"name":"token","readOnly":true,)"
      R"("mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}}],)"
      R"("livenessProbe":{{"httpGet":{{"path":"/healthz","port":"http","scheme":"HTTP"}},)"
      R"("timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3}},)"
      R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",)"
      R"("imagePullPolicy":"IfNotPresent"}}],"restartPolicy":"Always",)"
      R"("terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",)"
      R"("serviceAccountName":"default","nodeName":"{6}","securityContext":{{}},)"
      R"("schedulerName":"default-scheduler",)"
      R"("tolerations":[{{"key":"node.kubernetes.io/not-ready","operator":"Exists",)"
      R"("effect":"NoExecute","tolerationSeconds":300}},{{"key":"node.kubernetes.io/unreachable",)"
      R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":300}}],"priority":0,)"
      R"("enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"}},{7}}})",
      pod.name, pod.application, pod.hash, pod.namespace_,
      pod.managed_fields ? PodManagedFields(ip) : std::string(), pod.revision, NodeName(pod.node),
      PodStatus(pod, ip), TierOf(pod.application));
}

std::string ServiceJson(std::string_view namespace_, std::string_view name, std::size_t index) {
  return fmt::format(
      R"({{"kind":"Service","apiVersion":"v1","metadata":{{"name":"{0}","namespace":"{1}",)"
      R"("labels":{{"app":"{0}"}}}},"spec":{{"ports":[{{"name":"http","protocol":"TCP","port":80,)"
      R"("targetPort":"http"}}],"selector":{{"app":"{0}"}},"clusterIP":"10.96.{2}.{3}",)"
      R"("clusterIPs":["10.96.{2}.{3}"],"type":"ClusterIP","sessionAffinity":"None"}},)"
      R"("status":{{"loadBalancer":{{}}}}}})",
      name, namespace_, ((index + 1) >> 8) & 255, (index + 1) & 255);
}

std::string EndpointSliceJson(std::string_view namespace_, std::string_view name,
                              const std::vector<Endpoint>& endpoints) {
  std::string list;
  for (const Endpoint& e : endpoints) {
    list += fmt::format(
        R"({0}{{"addresses":["{1}"],"conditions":{{"ready":{2},"serving":{2},)"
        R"("terminating":false}},"nodeName":"{3}","targetRef":{{"kind":"Pod","name":"{4}",)"
        R"("namespace":"{5}"}}}})",
        list.empty() ? "" : ",", PodIp(e.serial), e.ready ? "true" : "false", NodeName(e.node),
        e.pod, namespace_);
  }
  return fmt::format(
      R"({{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1",)"
      R"("metadata":{{"name":"{0}-slice","namespace":"{1}",)"
      R"("labels":{{"kubernetes.io/service-name":"{0}"}}}},"addressType":"IPv4",)"
      R"("endpoints":[{2}],"ports":[{{"name":"http","protocol":"TCP","port":8080}}]}})",
      name, namespace_, list);
}

}  // namespace kinformer::demo
