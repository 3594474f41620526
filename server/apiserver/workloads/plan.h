// apiserver/workloads/plan.h
//
// Plan: the next writes of a controller; Scene: what it decides them by.
//
// Each controller of the simulated workloads is a function of a Scene that fills a Plan, and is
// called again after each write that concerns its object, or when the plan says so. It finds
// nothing to do if it is called once too often.

#ifndef KINFORMER_APISERVER_WORKLOADS_PLAN_H_
#define KINFORMER_APISERVER_WORKLOADS_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/workload_script.h"
#include "kinformer/base/env.h"
#include "kinformer/json/json.h"

#include "apiserver/workloads/cluster.h"
#include "apiserver/workloads/dice.h"
#include "apiserver/workloads/kinds.h"

namespace kinformer::apiserver::workloads {

struct Scene {
  const Cluster& cluster;
  const WorkloadScript& script;
  Dice& dice;
  WallTime now{};
  WallTime start{};  // of the server
  // Why the last write for the object that the controller has to hear of was refused, if that was
  // lately: of Plan::DeleteFor, and of all others (Plan::CreateFor, Plan::Remember).
  std::string_view delete_refusal{};
  std::string_view refusal{};
  bool reviewed = false;  // admission reviews writes
};

enum class Verb : std::uint8_t { kCreate, kUpdate, kUpdateStatus, kDelete };

// The request as which admission sees an update.
enum class Through : std::uint8_t { kObject, kScale, kBinding };

// Text of an event in place of its own if the write before it was refused.
struct RefusalText {
  std::string reason{};  // empty: it is not made then
  std::string text{};    // the error follows it
};

struct PlannedWrite {
  Verb verb{};
  Kind kind{};
  json::Value object{};  // of a delete: metadata only
  std::optional<std::int64_t> grace{};
  std::string propagation{};
  Through through = Through::kObject;
  // The controller has to hear of its refusal (Scene::refusal).
  bool remembered = false;
  // Set for a write that goes with the one before it, events not counted.
  std::optional<RefusalText> if_refused{};
  bool only_if_refused = false;
};

class Plan {
 public:
  explicit Plan(const Scene& scene) : scene_(scene) {}

  void Create(Kind kind, json::Value object);
  // Creates a part of `owner`, and writes the event SuccessfulCreate, or FailedCreate. Returns
  // false, and does nothing, if such a create was refused lately.
  bool CreateFor(Kind owner_kind, const json::Value& owner, std::string_view component, Kind kind,
                 json::Value object, std::string message);
  // Replaces all but the status.
  void Update(Kind kind, json::Value object);
  // Sets the number of replicas.
  void UpdateScale(Kind kind, json::Value object);
  // Binds a pod to its spec.nodeName.
  void Bind(json::Value pod);
  // Replaces the status, if it differs from that of `old`; returns whether it does.
  bool UpdateStatus(Kind kind, const json::Value& old, json::Value status);
  void Delete(Kind kind, const json::Value& object, std::optional<std::int64_t> grace = {},
              std::string_view propagation = "Background");
  // Deletes a part of `owner`, and writes the event SuccessfulDelete, or FailedDelete. Returns
  // false, and does nothing, if such a delete was refused lately.
  bool DeleteFor(Kind owner_kind, const json::Value& owner, std::string_view component, Kind kind,
                 const json::Value& object, std::string message);
  // Writes an Event about the object. `component`: "replicaset-controller".
  void Event(Kind kind, const json::Value& about, std::string_view component,
             std::string_view reason, std::string message, bool warning = false);
  // Has the last write, an event, tell this instead if the write before it is refused.
  void IfRefused(std::string reason, std::string text);
  // Leaves the last write out if the one before it is refused.
  void UnlessRefused() { IfRefused({}, {}); }
  // Writes an Event, a warning, if the last write is refused.
  void EventIfRefused(Kind kind, const json::Value& about, std::string_view component,
                      std::string reason, std::string text);
  // Has the controller hear of it if the last write is refused.
  void Remember() { writes_.back().remembered = true; }
  // Asks for another call after `delay`, at the latest.
  void Again(Duration delay);
  void AgainAt(WallTime time) { Again(time - scene_.now); }

  [[nodiscard]] const std::vector<PlannedWrite>& writes() const { return writes_; }
  [[nodiscard]] std::vector<PlannedWrite> TakeWrites() { return std::move(writes_); }
  [[nodiscard]] std::optional<Duration> again() const { return again_; }

 private:
  // `suffix`: of the event's name.
  void Tell(Kind kind, const json::Value& about, std::string_view component,
            std::string_view reason, std::string message, bool warning, const std::string& suffix);

  const Scene& scene_;
  std::vector<PlannedWrite> writes_;
  std::optional<Duration> again_;
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_PLAN_H_
