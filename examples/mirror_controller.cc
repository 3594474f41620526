// A controller that mirrors an annotation of Deployments, example.com/note, into ConfigMaps of the
// same name: with a finalizer, an owner, a condition for the result, and leader election.
// Deployments without the annotation are ignored.

#include <iostream>
#include <memory>
#include <string>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base.h"
#include "kinformer/client.h"
#include "kinformer/controller.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header
namespace appsv1 = kinformer::appsv1;
namespace corev1 = kinformer::corev1;

constexpr const char* kNote = "example.com/note";
constexpr const char* kFinalizer = "example.com/mirror";

Result<ReconcileResult> Mirror(const DelegatingClient& client, const ReconcileContext& context,
                               const Request& request) {
  const auto found = client.Get<appsv1::Deployment>(request, context.call());
  if (!found) return IgnoreNotFound(found.error());
  const appsv1::Deployment deployment = **found;
  appsv1::Deployment::Mutable change = deployment.DeepCopy();

  const bool noted = deployment.metadata().annotations().contains(kNote);
  if (!noted || deployment.metadata().deletionTimestamp()) {
    if (!controllerutil::RemoveFinalizer(change, kFinalizer)) return ReconcileResult{};
    std::cout << "- " << request << std::endl;
    const auto gone = client.Delete<corev1::ConfigMap>(request, {}, context.call());
    if (!gone && !IsNotFound(gone.error())) return gone.error();
    const auto updated = client.Update(change, {}, context.call());
    return updated ? Result<ReconcileResult>(ReconcileResult{}) : updated.error();
  }
  if (controllerutil::AddFinalizer(change, kFinalizer)) {
    const auto updated = client.Update(change, {}, context.call());
    // The event of this update triggers another reconcile.
    return updated ? Result<ReconcileResult>(ReconcileResult{}) : updated.error();
  }

  const auto mirrored = controllerutil::CreateOrUpdate(
      ForResource<corev1::ConfigMap>(client, request.namespace_, context.call()), request.name,
      [&](corev1::ConfigMap::Mutable& map) {
        map.data["note"] = deployment.metadata().annotations()[kNote];
        return controllerutil::SetControllerReference(deployment, map);
      });
  if (mirrored && mirrored->result != controllerutil::OperationResult::kNone) {
    std::cout << "= " << request << ' ' << mirrored->result << std::endl;
  }

  appsv1::DeploymentConditionMutable condition{.type = "Mirrored", .status = "True"};
  if (!mirrored) {
    condition.status = "False";
    condition.message = mirrored.error().message();
  }
  std::erase_if(change.status.conditions, [](const auto& c) { return c.type == "Mirrored"; });
  change.status.conditions.push_back(condition);
  if (change != deployment.DeepCopy()) {
    const auto updated = client.UpdateStatus(change, {}, context.call());
    if (!updated) return updated.error();
  }
  return mirrored ? Result<ReconcileResult>(ReconcileResult{}) : mirrored.error();
}

int main() {
  StopSource stop = StopOnSignals();
  auto manager =
      Manager::New(Config::LoadDefault().OrExit(), {.leader_election = true,
                                                    .leader_election_id = "mirror.example.com",
                                                    .leader_election_namespace = "default",
                                                    .leader_election_release_on_cancel = true,
                                                    .metrics_bind_address = "0"})
          .OrExit();
  ControllerBuilder(*manager)
      .For<appsv1::Deployment>()
      .Owns<corev1::ConfigMap>()
      .Complete(
          [client = manager->GetClient()](const ReconcileContext& context, const Request& request) {
            return Mirror(client, context, request);
          })
      .OrExit();
  manager->Start(stop.token()).OrExit();
}
