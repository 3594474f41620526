// apiserver/workloads/workloads.h
//
// Workloads: the controllers, the scheduler and the kubelets of a cluster, simulated inside the
// server.

#ifndef KINFORMER_APISERVER_WORKLOADS_WORKLOADS_H_
#define KINFORMER_APISERVER_WORKLOADS_WORKLOADS_H_

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/apiserver/workload_script.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/store/deadlines.h"
#include "apiserver/workloads/autoscaler.h"
#include "apiserver/workloads/cluster.h"
#include "apiserver/workloads/dice.h"
#include "apiserver/workloads/kubelet.h"
#include "apiserver/workloads/node_keeper.h"
#include "apiserver/workloads/plan.h"
#include "apiserver/workloads/pod_collector.h"
#include "apiserver/workloads/simulated_nodes.h"
#include "apiserver/workloads/write_requests.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/object/write_observer.h"

namespace kinformer::apiserver::workloads {

// A queue of controllers and the objects that they have to look at. Each of these steps reads the
// state and makes its writes in one turn of the loop, so that they never conflict; a write puts
// the controllers that it concerns into the queue. Equal scripts and requests give equal writes.
// If a webhook reviews a write, the rest of the step's writes wait for it, and so does the next run
// of the step. If others have changed an object meanwhile, the step is run again. Loop-confined.
class Workloads final : public WriteObserver {
 public:
  // Observes the writer. `requests` makes no call once this is destroyed. `script` outlives this.
  Workloads(ServerState& state, ObjectWriter& writer, WriteRequests& requests,
            const WorkloadScript& script);
  Workloads(const Workloads&) = delete;
  Workloads& operator=(const Workloads&) = delete;

  // Reads all objects again, after a restore of the server's state.
  void Reload();

  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) override;

 private:
  enum class Controller : std::uint8_t {
    kNodeKeeper,  // in the order in which the steps of one write are made
    kNodeLifecycle,
    kScheduler,
    kKubelet,
    kPodCollector,
    kReplicaSet,
    kDeployment,
    kEndpointSlices,
    kStatefulSet,
    kDaemonSet,
    kJob,
    kCronJob,
    kVolumeClaim,
    kVolume,
    kAutoscaler,
  };
  using Step = std::pair<Controller, std::string>;  // and the object's key

  void Enqueue(Controller controller, const std::string& key);
  void EnqueueAll(Controller controller, Kind kind);
  void EnqueueIn(Controller controller, Kind kind, const std::string& namespace_);
  // Puts the controllers into the queue that a write of the object concerns. `before`: null for a
  // new one; `after`: null for a removed one.
  void Concern(Kind kind, const json::Value* before, const json::Value* after);
  void ConcernPod(const json::Value* before, const json::Value* after);
  void ScheduleWaiting();
  void ConcernNode(const std::string& name);
  void ConcernOwner(const json::Value& object);
  // Returns the controller of that kind of object; empty if it has none.
  [[nodiscard]] static std::optional<Controller> ControllerFor(Kind kind);
  [[nodiscard]] std::optional<Kind> KindOf(const ServedResource& resource) const;

  // The writes of a step that was run.
  struct Writes;

  void Turn();
  void Run(const Step& step);
  void Decide(const Step& step, const Scene& scene, Plan& plan);
  // Makes the writes that are left, up to one that has to wait.
  void MakeAll(const std::shared_ptr<Writes>& writes);
  // Makes the next one; returns false if it has to wait.
  bool MakeNext(const std::shared_ptr<Writes>& writes);
  // Returns whether the write is to be made after what became of those before it. An event may then
  // tell something else.
  bool Goes(Writes& writes, PlannedWrite& write);
  void Request(const Writes& writes, PlannedWrite& write, const WriteRequests::Done& done);
  void Finish(const Writes& writes);
  // Notes the outcome of a write; what is gone needs none.
  void Note(Writes& writes, const PlannedWrite& write, const Result<void>& made);
  // Namespace and name.
  using Place = std::pair<std::string, std::string>;
  [[nodiscard]] StoredObjectPtr StoredOf(Kind kind, const Place& place) const;
  // Notes the version that an update has left.
  void NoteLeft(Writes& writes, const PlannedWrite& write) const;
  // Writes that nobody reviews.
  Result<void> Make(PlannedWrite write);
  // Notes the version of the stored object in an update. Returns false if there is no such object.
  [[nodiscard]] bool NoteVersion(Writes& writes, PlannedWrite& write) const;
  [[nodiscard]] WriteTarget TargetOf(const PlannedWrite& write) const;
  // Returns the user that a controller writes as.
  [[nodiscard]] UserInfoPtr UserOf(const Step& step) const;
  void Remind(const Step& step, Duration delay);

  ServerState& state_;
  ObjectWriter& writer_;
  WriteRequests& requests_;
  const WorkloadScript& script_;
  const WallTime start_;
  std::array<ResourceAt, kKinds> resources_;
  std::map<const ServedResource*, Kind> kinds_;
  Cluster cluster_;
  Dice dice_;
  const NodeTable nodes_;
  NodeKeeper node_keeper_;
  Kubelets kubelets_;
  PodCollector pod_collector_;
  Autoscalers autoscalers_;

  std::deque<Step> queue_;
  std::set<Step> queued_;
  bool posted_ = false;
  std::map<Step, Deadlines::Id> reminders_;
  std::set<Step> busy_;       // wait for a write
  std::set<Step> postponed_;  // busy, and to be run again
  // Why the last writes of a step were refused, until they are tried again.
  struct Refusals {
    std::string of_delete{};
    std::string of_other{};
  };
  std::map<Step, Refusals> refusals_;
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_WORKLOADS_H_
