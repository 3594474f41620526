// A node agent: which pod has this container id, or this IP? What a program asks that sees packets
// and cgroups, many times in a second. Only the pods of one node are cached, and of them only what
// the answers need. The node is that of $NODE_NAME, which a DaemonSet sets by the downward API.

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <syncstream>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header
namespace corev1 = kinformer::corev1;

namespace {

// Pods in the node's own network have its IP, which says nothing about them.
void ByIp(corev1::Pod pod, IndexValues& out) {
  if (pod.spec().hostNetwork()) return;
  for (corev1::PodIP ip : pod.status().podIPs()) out.Add(ip.ip());
}

// The runtime's id of a container: "containerd://4a1f..." without its scheme, as in the cgroup's
// path.
std::string_view IdOf(corev1::ContainerStatus container) {
  const std::string_view id = container.containerID();
  const std::size_t scheme = id.find("://");
  return scheme == std::string_view::npos ? id : id.substr(scheme + 3);
}

void ByContainer(corev1::Pod pod, IndexValues& out) {
  for (const auto& containers :
       {pod.status().containerStatuses(), pod.status().initContainerStatuses(),
        pod.status().ephemeralContainerStatuses()}) {
    for (corev1::ContainerStatus each : containers) {
      if (!each.containerID().empty()) out.Add(IdOf(each));
    }
  }
}

// Answers a question, in about a microsecond and without a lock.
void Tell(const Lister<corev1::Pod>& pods, const std::string& index, std::string_view value) {
  std::osyncstream out(std::cout);
  out << index << ' ' << value << ':';
  for (corev1::Pod pod : pods.ByIndex(index, value)) out << ' ' << pod;
  out << std::endl;
}

// Tells about everything that a pod has by now.
void TellOf(const Lister<corev1::Pod>& pods, corev1::Pod pod) {
  for (corev1::PodIP ip : pod.status().podIPs()) Tell(pods, "ip", ip.ip());
  for (corev1::ContainerStatus each : pod.status().containerStatuses()) {
    Tell(pods, "container", IdOf(each));
  }
}

}  // namespace

int main() {
  StopSource stop = StopOnSignals();
  const char* const node = std::getenv("NODE_NAME");
  const Client client = Client::FromEnvironment().OrExit();
  SharedInformerFactory factory(client);
  auto pods = factory.InformerFor<corev1::Pod>(
      {.indexers = {{"ip", ByIp}, {"container", ByContainer}},
       .field_selector =
           FieldSelector::Of({{.field = "spec.nodeName", .value = node ? node : "node-7"}})
               .OrExit(),
       .drop_managed_fields = true,
       .projection =
           Projection::Keep<corev1::Pod>(
               {"spec.nodeName", "spec.hostNetwork", "status.podIPs", "status.containerStatuses",
                "status.initContainerStatuses", "status.ephemeralContainerStatuses"})
               .OrExit()});
  const Lister<corev1::Pod> lister = pods.lister();
  const auto handler =
      pods.AddEventHandler(
              {.on_add = [&](const Added<corev1::Pod>& e) { TellOf(lister, e.object); },
               .on_update = [&](const Updated<corev1::Pod>& e) { TellOf(lister, e.new_object); }})
          .OrExit()
          .Scoped();
  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();
  stop.Wait();
}
