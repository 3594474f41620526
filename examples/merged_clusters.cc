// Many clusters with one merged view: the Deployments of every context of the kubeconfig, and how
// many of their replicas are ready, in all clusters together. One Runtime serves all of them; a
// cluster that is down holds nobody up, and its last known state stays in the view.

#include <cstddef>
#include <iostream>
#include <list>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/api/appsv1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/workqueue.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header
namespace appsv1 = kinformer::appsv1;

namespace {

// One cluster: its informer, which tells `changed` the names of what has changed.
struct Member {
  Member(Runtime& runtime, const std::string& context, WorkQueue<ObjectName>& changed)
      : name(context),
        client(
            Client::NewForConfig(runtime.env(), Config::LoadDefault({.context = context}).OrExit())
                .OrExit()),
        factory(client),
        deployments(factory.InformerFor<appsv1::Deployment>({.name = "deployments of " + name})) {
    const auto tell = [&changed](const auto& e) { changed.Add(e.object_name()); };
    handler = deployments.AddEventHandler({.on_add = tell, .on_update = tell, .on_delete = tell})
                  .OrExit()
                  .Scoped();
    factory.Start();
  }

  std::string name;
  Client client;
  SharedInformerFactory factory;
  SharedInformer<appsv1::Deployment> deployments;
  EventHandlerRegistration::ScopedRegistration handler;
};

// The view: one line of what all clusters have under a name.
void Show(const std::list<Member>& members, const ObjectName& name) {
  std::size_t clusters = 0;
  int ready = 0;
  int wanted = 0;
  std::string where;
  for (const Member& member : members) {
    const auto found = member.deployments.lister().Get(name.namespace_, name.name);
    if (!found) {
      if (!IsNotFound(found)) where += " " + member.name + "=?";  // not known yet
      continue;
    }
    ++clusters;
    ready += found->status().readyReplicas();
    wanted += found->spec().replicas().value_or(1);
    where += " " + member.name + "=" + std::to_string(found->status().readyReplicas());
  }
  std::cout << name << ": " << ready << " of " << wanted << " ready in " << clusters << " clusters"
            << (where.empty() ? "" : ":") << where << std::endl;
}

}  // namespace

int main() {
  StopSource stop = StopOnSignals();
  Runtime runtime;
  const auto kubeconfig = clientcmd::NewDefaultPathOptions().GetStartingConfig().OrExit();
  WorkQueue<ObjectName> changed(runtime.env(), {.name = "changed"});
  std::list<Member> members;
  for (const auto& [context, settings] : kubeconfig.contexts) {
    members.emplace_back(runtime, context, changed);
  }
  // No wait for all of them: what there is can be shown.
  std::cout << "clusters: " << members.size() << std::endl;

  const std::stop_callback on_stop(stop.token(), [&changed] { changed.ShutDown(); });
  while (const std::optional<ObjectName> name = changed.Get()) {
    Show(members, *name);
    changed.Done(*name);
  }
}
