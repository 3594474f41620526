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
  // Why the last create for the object (Plan::CreateFor) was refused; empty: nothing was refused
  // lately.
  std::string_view refusal{};
};

enum class Verb : std::uint8_t { kCreate, kUpdate, kUpdateStatus, kDelete };

struct PlannedWrite {
  Verb verb{};
  Kind kind{};
  json::Value object{};  // of a delete: metadata only
  std::optional<std::int64_t> grace{};
  std::string propagation{};
  // A create whose refusal the controller has to hear of (Scene::refusal).
  bool remembered = false;
  // An event about the create before it tells this instead if that is refused; the error follows
  // the text. Empty: there is no event then.
  std::string refused_reason{};
  std::string refused_text{};
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
  // Replaces the status, if it differs from that of `old`.
  void UpdateStatus(Kind kind, const json::Value& old, json::Value status);
  void Delete(Kind kind, const json::Value& object, std::optional<std::int64_t> grace = {},
              std::string_view propagation = "Background");
  // Writes an Event about the object. `component`: "replicaset-controller".
  void Event(Kind kind, const json::Value& about, std::string_view component,
             std::string_view reason, std::string message, bool warning = false);
  // Has the last write, an event, tell this instead if the create before it is refused.
  void IfRefused(std::string reason, std::string text);
  // Asks for another call after `delay`, at the latest.
  void Again(Duration delay);
  void AgainAt(WallTime time) { Again(time - scene_.now); }

  [[nodiscard]] const std::vector<PlannedWrite>& writes() const { return writes_; }
  [[nodiscard]] std::vector<PlannedWrite> TakeWrites() { return std::move(writes_); }
  [[nodiscard]] std::optional<Duration> again() const { return again_; }

 private:
  const Scene& scene_;
  std::vector<PlannedWrite> writes_;
  std::optional<Duration> again_;
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_PLAN_H_
