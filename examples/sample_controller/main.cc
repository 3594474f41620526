// The sample controller of Kubernetes: creates the Deployment that a Foo asks for, keeps it at its
// size, and writes its available replicas into the Foo's status.

#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/base/stop.h"
#include "kinformer/client/config.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/cached_resource_client.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/manager.h"
#include "kinformer/object/custom_resource.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header
namespace appsv1 = kinformer::appsv1;

struct FooSpec {
  std::string deploymentName{};
  std::int32_t replicas = 1;
  UnknownFields unknown{};  // keeps fields of a newer CRD during updates
};

struct FooStatus {
  std::int32_t availableReplicas = 0;
  UnknownFields unknown{};
};

struct Foo {
  static constexpr CustomKind kKind{.group = "samplecontroller.example.com", .version = "v1"};
  FooSpec spec{};
  FooStatus status{};
  UnknownFields unknown{};
};
using Foos = CustomResource<Foo>;

class FooReconciler final : public Reconciler {
 public:
  explicit FooReconciler(Manager& manager)
      : client_(manager.GetClient()), events_(manager.GetEventRecorderFor("sample-controller")) {}

  Result<ReconcileResult> Reconcile(const ReconcileContext& context,
                                    const Request& request) override {
    const auto foo = client_.Get<Foos>(request, context.call());
    if (!foo) return IgnoreNotFound(foo.error());
    const FooSpec& spec = foo->value().spec;
    if (spec.deploymentName.empty()) {
      return TerminalError(Error(Reason::kInvalid, "spec.deploymentName must be set"));
    }
    auto deployment = controllerutil::CreateOrUpdate(
        ForResource<appsv1::Deployment>(client_, request.namespace_, context.call()),
        spec.deploymentName,
        [&](appsv1::Deployment::Mutable& wanted) { return Shape(**foo, wanted); });
    if (!deployment) {
      if (IsAlreadyExists(deployment.error())) {
        events_->Event(**foo, kEventTypeWarning, "ErrResourceExists", deployment.error().message());
      }
      return deployment.error();
    }
    const std::int32_t available = deployment->object->status().availableReplicas();
    if (available != foo->value().status.availableReplicas) {
      Foos::Mutable change = foo->DeepCopy();
      change.status.availableReplicas = available;
      if (auto updated = client_.UpdateStatus(change, {}, context.call()); !updated) {
        return updated.error();
      }
    }
    events_->Event(**foo, kEventTypeNormal, "Synced", "Foo synced successfully");
    return ReconcileResult{};
  }

 private:
  // Sets the wanted state of a Foo's Deployment.
  static Result<void> Shape(const Foos& foo, appsv1::Deployment::Mutable& wanted) {
    const std::map<std::string, std::string> labels{
        {"app", "nginx"}, {"controller", std::string(foo.metadata().name())}};
    wanted.spec.replicas = foo.value().spec.replicas;
    if (!wanted.spec.selector) wanted.spec.selector.emplace().matchLabels = labels;
    wanted.spec.template_.metadata.labels = labels;
    if (wanted.spec.template_.spec.containers.empty()) {
      wanted.spec.template_.spec.containers.push_back({.name = "nginx", .image = "nginx:latest"});
    }
    return controllerutil::SetControllerReference(foo, wanted);
  }

  const DelegatingClient client_;
  const std::shared_ptr<EventRecorder> events_;
};

int main() {
  StopSource stop = StopOnSignals();
  auto manager =
      Manager::New(Config::LoadDefault().OrExit(), {.metrics_bind_address = "0"}).OrExit();
  ControllerBuilder(*manager)
      .For<Foos>()
      .Owns<appsv1::Deployment>()
      .Complete(std::make_shared<FooReconciler>(*manager))
      .OrExit();
  std::cout << "the sample controller starts" << std::endl;
  manager->Start(stop.token()).OrExit();
}
