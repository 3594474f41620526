#include "website_reconciler.h"

#include <iostream>
#include <map>
#include <string>
#include <syncstream>
#include <utility>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/controller/cached_resource_client.h"
#include "kinformer/controller/controllerutil.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header
namespace appsv1 = kinformer::appsv1;
namespace corev1 = kinformer::corev1;

constexpr const char* kFinalizer = "example.com/website";

WebsiteReconciler::WebsiteReconciler(Manager& manager)
    : client_(manager.GetClient()), events_(manager.GetEventRecorderFor("website-operator")) {}

Result<ReconcileResult> WebsiteReconciler::Reconcile(const ReconcileContext& context,
                                                     const Request& request) {
  const auto found = client_.Get<Websites>(request, context.call());
  if (!found) return IgnoreNotFound(found.error());
  const Websites website = **found;
  Websites::Mutable change = website.DeepCopy();
  if (website.metadata().deletionTimestamp()) return Finish(context, std::move(change));
  if (controllerutil::AddFinalizer(change, kFinalizer)) {
    const auto updated = client_.Update(change, {}, context.call());
    if (!updated) return updated.error();
    return ReconcileResult{};  // the update triggers another reconcile
  }

  if (const auto made = MakeConfigMap(context, website); !made) return made.error();
  const auto available = MakeDeployment(context, website);
  if (!available.ok()) return available.error();

  if (meta::SetStatusCondition(context.env(), change.status.conditions,
                               {.type = "Ready",
                                .status = *available ? "True" : "False",
                                .observedGeneration = website.metadata().generation(),
                                .reason = *available ? "Served" : "Starting"})) {
    const auto updated = client_.UpdateStatus(change, {}, context.call());
    if (!updated) return updated.error();
    events_->Event(website, kEventTypeNormal, *available ? "Served" : "Starting",
                   "of " + std::to_string(website.value().spec.replicas) + " pods");
  }
  return ReconcileResult{};
}

Result<ReconcileResult> WebsiteReconciler::Finish(const ReconcileContext& context,
                                                  Websites::Mutable website) {
  if (!controllerutil::RemoveFinalizer(website, kFinalizer)) return ReconcileResult{};
  std::osyncstream(std::cout) << "the end of " << website.spec.page << std::endl;
  const auto updated = client_.Update(website, {}, context.call());
  // The garbage collector deletes the objects that it owns.
  return updated ? Result<ReconcileResult>(ReconcileResult{}) : updated.error();
}

Result<void> WebsiteReconciler::MakeConfigMap(const ReconcileContext& context,
                                              const Websites& website) {
  const std::string name(website.metadata().name());
  const std::string namespace_(website.metadata().namespace_());
  const auto made = controllerutil::CreateOrUpdate(
      ForResource<corev1::ConfigMap>(client_, namespace_, context.call()), name,
      [&](corev1::ConfigMap::Mutable& map) {
        map.data["index.html"] = website.value().spec.page;
        return controllerutil::SetControllerReference(website, map);
      });
  if (!made) return made.error();
  return {};
}

// Returns whether all of its pods are available.
Result<bool> WebsiteReconciler::MakeDeployment(const ReconcileContext& context,
                                               const Websites& website) {
  const std::string name(website.metadata().name());
  const std::string namespace_(website.metadata().namespace_());
  const std::int32_t replicas = website.value().spec.replicas;
  const auto made = controllerutil::CreateOrUpdate(
      ForResource<appsv1::Deployment>(client_, namespace_, context.call()), name,
      [&](appsv1::Deployment::Mutable& wanted) {
        const std::map<std::string, std::string> labels{{"website", name}};
        wanted.spec.replicas = replicas;
        if (!wanted.spec.selector) wanted.spec.selector.emplace().matchLabels = labels;
        auto& pod = wanted.spec.template_;
        pod.metadata.labels = labels;
        if (pod.spec.containers.empty()) {
          pod.spec.containers.push_back(
              {.name = "web",
               .image = "nginx:stable",
               .volumeMounts = {{.name = "page", .mountPath = "/usr/share/nginx/html"}}});
          pod.spec.volumes.emplace_back().name = "page";
          pod.spec.volumes.back().configMap.emplace().name = name;
        }
        return controllerutil::SetControllerReference(website, wanted);
      });
  if (!made) return made.error();
  return made->object->status().availableReplicas() >= replicas;
}
