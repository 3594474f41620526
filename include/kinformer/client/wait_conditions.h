// kinformer/client/wait_conditions.h
//
// wait::conditions: states of one object that programs wait for, ready made and combinable.
// AwaitCondition (await_condition.h) waits for them.
//
//   using namespace kinformer::wait;
//   const ObjectCondition up = AllOf(conditions::PodReady(), conditions::GenerationObserved());
//   const ObjectCondition ended = AnyOf(conditions::JobComplete(), conditions::JobFailed());
//   const ObjectCondition blue = conditions::Field("/data/colour", "blue");
//   const ObjectCondition placed = conditions::Where<corev1::Pod>(
//       [](const corev1::Pod& pod) { return !pod.spec().nodeName().empty(); }, "pod on a node");
//
// They judge the object's JSON, so each of them works for typed, dynamic and, where these suffice,
// metadata-only objects, of any version of their kind.
//
// Counterparts: `kubectl wait`, `kubectl rollout status`; kube-rs's wait::conditions. client-go has
// none.

#ifndef KINFORMER_CLIENT_WAIT_CONDITIONS_H_
#define KINFORMER_CLIENT_WAIT_CONDITIONS_H_

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer::wait {

// State of the awaited object: its content, or that it does not exist. Thread-compatible.
class ObservedObject {
 public:
  // Creates the state of an object, null: of one that does not exist.
  explicit ObservedObject(AnyRef object = {}) : object_(std::move(object)) {}
  [[nodiscard]] bool exists() const { return static_cast<bool>(object_); }
  // Returns the object; null if it does not exist.
  [[nodiscard]] const AnyRef& object() const { return object_; }
  // Returns the whole object as JSON, which is made at the first call; null if it does not exist.
  [[nodiscard]] const json::Value& json() const;

 private:
  AnyRef object_;
  mutable std::optional<json::Value> json_{};
};

// A condition of one object, with words that describe it. A value: copies share the function.
// Thread-safe if its function is.
class ObjectCondition {
 public:
  // Returns whether the condition holds; an error ends the wait. Called for each state of the
  // object, in the server's order. Check states, not changes: states that follow each other during
  // an interruption of the watch are not seen.
  using Check = std::function<Result<bool>(const ObservedObject& object)>;

  // `what` names the awaited state in messages: "pod Ready".
  ObjectCondition(std::string what, Check check)
      : what_(std::move(what)), check_(std::make_shared<const Check>(std::move(check))) {}

  [[nodiscard]] Result<bool> Holds(const ObservedObject& object) const { return (*check_)(object); }
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  std::string what_;
  std::shared_ptr<const Check> check_;
};

// Returns a condition that holds if all of `conditions` do, in one state of the object. They are
// checked in order until one decides; an error before that is the result. With none it holds.
[[nodiscard]] ObjectCondition AllOf(std::vector<ObjectCondition> conditions);
// Returns a condition that holds if any of `conditions` does. Checked as above; with none it does
// not hold.
[[nodiscard]] ObjectCondition AnyOf(std::vector<ObjectCondition> conditions);
// Does the same, for conditions one by one.
template <std::same_as<ObjectCondition>... More>
[[nodiscard]] ObjectCondition AllOf(ObjectCondition first, More... more) {
  return AllOf(std::vector<ObjectCondition>{std::move(first), std::move(more)...});
}
// Does the same, for conditions one by one.
template <std::same_as<ObjectCondition>... More>
[[nodiscard]] ObjectCondition AnyOf(ObjectCondition first, More... more) {
  return AnyOf(std::vector<ObjectCondition>{std::move(first), std::move(more)...});
}
// Returns a condition that holds if `condition` does not. Conditions of an object's content do not
// hold for an object that does not exist, so Not(PodReady()) holds for it.
[[nodiscard]] ObjectCondition Not(ObjectCondition condition);

// State of a rollout, in the words of `kubectl rollout status`.
struct RolloutState {
  bool done{false};
  std::string message{};  // "deployment \"web\" successfully rolled out"
};
// Reads it from a Deployment, DaemonSet or StatefulSet of any version. kTimeout: the Deployment has
// exceeded its progress deadline (ProgressDeadlineExceeded). kInvalidArgument: another kind, or an
// update strategy that does not roll out (OnDelete).
[[nodiscard]] Result<RolloutState> RolloutStateOf(const json::Value& object);

// Conditions. Unless stated otherwise, they hold for existing objects only.
namespace conditions {

// Holds for an object that exists.
[[nodiscard]] ObjectCondition Exists();
// Holds if there is no such object, or, with a `uid`, none with this uid: a later object of the
// same name does not count as the awaited one.
[[nodiscard]] ObjectCondition Deleted(std::string uid = {});

// Holds if status.conditions has this type with this status; upper and lower case do not matter, as
// in kubectl. If the condition, or else the status, has an observedGeneration below the object's
// generation, it is outdated and does not hold.
[[nodiscard]] ObjectCondition StatusCondition(std::string type, std::string status = "True");
// Holds if status.observedGeneration has reached metadata.generation.
[[nodiscard]] ObjectCondition GenerationObserved();

// Holds if the value at the JSON Pointer (RFC 6901) exists and equals `value`: "/status/phase".
[[nodiscard]] ObjectCondition Field(std::string pointer, json::Value value);
// Holds if the value at the pointer exists, whatever it is but null.
[[nodiscard]] ObjectCondition FieldExists(std::string pointer);
// Holds if the function returns true for the value at the pointer, which is null if it is missing.
[[nodiscard]] ObjectCondition FieldWhere(std::string pointer,
                                         std::function<bool(const json::Value& value)> holds);

// Holds in the phase Running.
[[nodiscard]] ObjectCondition PodRunning();
// Holds with the condition Ready.
[[nodiscard]] ObjectCondition PodReady();
// Holds in the phases Succeeded and Failed: the pod has ended.
[[nodiscard]] ObjectCondition PodCompleted();
// Holds with the condition Complete.
[[nodiscard]] ObjectCondition JobComplete();
// Holds with the condition Failed.
[[nodiscard]] ObjectCondition JobFailed();
// Holds with the condition Established: the resource can be used.
[[nodiscard]] ObjectCondition CrdEstablished();
// Holds in the phase Active.
[[nodiscard]] ObjectCondition NamespaceActive();
// Holds if the load balancer of a Service (or Ingress) has an address.
[[nodiscard]] ObjectCondition ServiceHasLoadBalancer();

// Hold if the spec was observed, all replicas are of the newest revision and available, as `kubectl
// rollout status` says. For errors see RolloutStateOf; RolledOut takes all three kinds.
[[nodiscard]] ObjectCondition RolledOut();
[[nodiscard]] ObjectCondition DeploymentRolledOut();
[[nodiscard]] ObjectCondition DaemonSetRolledOut();
[[nodiscard]] ObjectCondition StatefulSetRolledOut();

// Returns a condition of the program's own: `holds` gets a view of an existing object, and returns
// bool or Result<bool>. An object of another kind is kInvalidArgument.
template <ObjectView T, class F>
  requires std::convertible_to<std::invoke_result_t<const F&, const T&>, Result<bool>>
[[nodiscard]] ObjectCondition Where(F holds, std::string what = "the program's condition") {
  ObjectCondition::Check check = [f = std::move(holds),
                                  what](const ObservedObject& observed) -> Result<bool> {
    if (!observed.exists()) return false;
    const Ref<T> object = observed.object().template As<T>();
    if (!object) {
      return Error(Reason::kInvalidArgument, what + " is a condition of another kind of object");
    }
    return f(*object);
  };
  return {std::move(what), std::move(check)};
}

}  // namespace conditions

}  // namespace kinformer::wait

#endif  // KINFORMER_CLIENT_WAIT_CONDITIONS_H_
