// An operator of something with state: pods NAME-0, NAME-1, ... of a Database, made one after
// another, each only when the one before is ready, and taken away from the end. Before a pod goes,
// a Job makes a backup of it, and the pod stays until that has succeeded.

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <syncstream>

#include "kinformer/api/batchv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base.h"
#include "kinformer/client.h"
#include "kinformer/controller.h"
#include "kinformer/object/custom_resource.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header
namespace batchv1 = kinformer::batchv1;
namespace corev1 = kinformer::corev1;

struct DatabaseSpec {
  std::int32_t replicas = 1;
  std::string image{};
  UnknownFields unknown{};
};
struct DatabaseStatus {
  std::int32_t ready = 0;
  std::string lastBackup{};
  meta::Conditions conditions{};
};
struct Database {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  DatabaseSpec spec{};
  DatabaseStatus status{};
};
using Databases = CustomResource<Database>;

namespace {

bool IsReady(corev1::Pod pod) {
  for (corev1::PodCondition condition : pod.status().conditions()) {
    if (condition.type() == "Ready") return condition.status() == "True";
  }
  return false;
}

class DatabaseReconciler final : public Reconciler {
 public:
  explicit DatabaseReconciler(Manager& manager) : client_(manager.GetClient()) {}

  Result<ReconcileResult> Reconcile(const ReconcileContext& context,
                                    const Request& request) override {
    const auto found = client_.Get<Databases>(request, context.call());
    if (!found) return IgnoreNotFound(found.error());
    const Databases database = **found;
    Databases::Mutable change = database.DeepCopy();
    const Result<bool> settled = TakeAStep(context, database, change.status);
    if (!settled.ok()) return settled.error();
    meta::SetStatusCondition(context.env(), change.status.conditions,
                             {.type = "Settled",
                              .status = *settled ? "True" : "False",
                              .observedGeneration = database.metadata().generation(),
                              .reason = *settled ? "AllReady" : "Scaling"});
    if (change == database.DeepCopy()) return ReconcileResult{};
    const auto updated = client_.UpdateStatus(change, {}, context.call());
    return updated ? Result<ReconcileResult>(ReconcileResult{}) : updated.error();
  }

 private:
  // Takes the next step towards the number of replicas, if one can be taken; what it waits for is
  // watched, and leads here again. Returns true if there is nothing left to do.
  Result<bool> TakeAStep(const ReconcileContext& context, const Databases& database,
                         DatabaseStatus& status) {
    const std::int32_t wanted = database.value().spec.replicas;
    std::int32_t count = 0;
    bool leaving = false;
    status.ready = 0;
    for (;; ++count) {
      const auto pod = client_.Get<corev1::Pod>(NameOf(database, count), context.call());
      if (IsNotFound(pod)) break;
      if (!pod) return pod.error();
      if (IsReady(**pod)) ++status.ready;
      if (pod->metadata().deletionTimestamp()) leaving = true;
    }
    if (leaving) return false;
    if (count > wanted) return TakeAway(context, database, count - 1, status);
    if (status.ready < count) return false;  // the last one is not ready yet
    if (count == wanted) return true;
    const Result<void> made = Make(context, database, PodOf(database, count));
    if (!made) return made.error();
    Say(NameOf(database, count), "made");
    return false;
  }

  // Backs the pod up, and deletes it once that has succeeded.
  Result<bool> TakeAway(const ReconcileContext& context, const Databases& database,
                        std::int32_t ordinal, DatabaseStatus& status) {
    const ObjectName pod = NameOf(database, ordinal);
    const ObjectName name{pod.namespace_, pod.name + "-backup"};
    const auto job = client_.Get<batchv1::Job>(name, context.call());
    if (IsNotFound(job)) {
      const Result<void> made = Make(context, database, BackupOf(database, ordinal));
      if (!made) return made.error();
      Say(pod, "is backed up");
      return false;
    }
    if (!job) return job.error();
    if (job->status().succeeded() == 0) return false;
    status.lastBackup = pod.name;
    const auto gone = client_.Delete<corev1::Pod>(pod, {}, context.call());
    if (!gone && !IsNotFound(gone)) return gone.error();
    // A pod that is made again under this name needs a backup of its own.
    const DeleteOptions with_pods{.propagationPolicy = "Background"};
    const auto job_gone = client_.Delete<batchv1::Job>(name, with_pods, context.call());
    if (!job_gone && !IsNotFound(job_gone)) return job_gone.error();
    Say(pod, "taken away");
    return false;
  }

  // Creates an object that the Database owns, so it goes with it.
  template <class M>
  Result<void> Make(const ReconcileContext& context, const Databases& database, M object) {
    if (auto owned = controllerutil::SetControllerReference(database, object); !owned) return owned;
    const auto made = client_.Create(object, {}, context.call());
    if (!made && !IsAlreadyExists(made)) return made.error();
    return {};
  }

  static ObjectName NameOf(const Databases& database, std::int32_t ordinal) {
    return {std::string(database.metadata().namespace_()),
            std::string(database.metadata().name()) + "-" + std::to_string(ordinal)};
  }

  static corev1::PodMutable PodOf(const Databases& database, std::int32_t ordinal) {
    corev1::PodMutable pod;
    pod.metadata.namespace_ = database.metadata().namespace_();
    pod.metadata.name = NameOf(database, ordinal).name;
    pod.spec.containers.push_back({.name = "database", .image = database.value().spec.image});
    return pod;
  }

  static batchv1::JobMutable BackupOf(const Databases& database, std::int32_t ordinal) {
    batchv1::JobMutable job;
    job.metadata.namespace_ = database.metadata().namespace_();
    job.metadata.name = NameOf(database, ordinal).name + "-backup";
    job.spec.template_.spec.restartPolicy = "OnFailure";
    job.spec.template_.spec.containers.push_back(
        {.name = "backup",
         .image = database.value().spec.image,
         .args = {"backup", NameOf(database, ordinal).name}});
    return job;
  }

  static void Say(const ObjectName& pod, std::string_view what) {
    std::osyncstream(std::cout) << pod << ' ' << what << std::endl;
  }

  const DelegatingClient client_;
};

}  // namespace

int main() {
  StopSource stop = StopOnSignals();
  auto manager =
      Manager::New(Config::LoadDefault().OrExit(), {.metrics_bind_address = "0"}).OrExit();
  ControllerBuilder(*manager)
      .For<Databases>()
      .Owns<corev1::Pod>()
      .Owns<batchv1::Job>()
      .Complete(std::make_shared<DatabaseReconciler>(*manager))
      .OrExit();
  manager->Start(stop.token()).OrExit();
}
