#include <string>
#include <utility>
#include <vector>

#include "table/age.h"
#include "table/columns.h"
#include "table/table_cells.h"

namespace kinformer::internal::table {
namespace {

using json::Value;

using cells::Age;
using cells::ContainerField;
using cells::Labels;
using cells::Name;
using cells::Number;
using cells::OrNone;
using cells::Selector;

// Returns why a container is not running, as a word: "CrashLoopBackOff", "Completed", "ExitCode:3".
// Empty if it is running.
std::string ContainerTrouble(const Value& status) {
  const Value& waiting = status["state"]["waiting"];
  if (!waiting["reason"].StringOrEmpty().empty()) return waiting["reason"].StringOrEmpty();
  const Value& terminated = status["state"]["terminated"];
  if (terminated.is_null()) return {};
  if (!terminated["reason"].StringOrEmpty().empty()) return terminated["reason"].StringOrEmpty();
  if (terminated["signal"].AsInt64().value_or(0) != 0) {
    return "Signal:" + Number(terminated["signal"]);
  }
  return "ExitCode:" + Number(terminated["exitCode"]);
}

// Text of a pod's STATUS column: its phase, or a more specific reason if there is one.
std::string PodStatus(const Value& pod) {
  const Value& status = pod["status"];
  std::string text = status["phase"].StringOrEmpty();
  if (!status["reason"].StringOrEmpty().empty()) text = status["reason"].StringOrEmpty();
  bool initializing = false;
  std::size_t done = 0;
  for (const Value& init : status["initContainerStatuses"].items()) {
    const Value& terminated = init["state"]["terminated"];
    if (!terminated.is_null() && terminated["exitCode"].AsInt64().value_or(0) == 0) {
      ++done;
      continue;
    }
    if (init["started"].AsBool().value_or(false)) {  // a sidecar
      ++done;
      continue;
    }
    const std::string trouble = ContainerTrouble(init);
    if (!trouble.empty() && trouble != "PodInitializing") {
      text = "Init:" + trouble;
    } else {
      text = "Init:" + std::to_string(done) + "/" +
             std::to_string(pod["spec"]["initContainers"].size());
    }
    initializing = true;
    break;
  }
  if (!initializing) {
    bool running = false;
    for (const Value& container : status["containerStatuses"].items()) {
      const std::string trouble = ContainerTrouble(container);
      if (!trouble.empty()) text = trouble;
      if (!container["state"]["running"].is_null() && container["ready"].AsBool().value_or(false)) {
        running = true;
      }
    }
    if (text == "Completed" && running) text = "Running";
  }
  if (!pod["metadata"]["deletionTimestamp"].is_null()) {
    text = status["reason"].StringOrEmpty() == "NodeLost" ? "Unknown" : "Terminating";
  }
  return OrNone(std::move(text), "Unknown");
}

// Returns how many of the pod's own readiness conditions are true, such as "1/2".
std::string ReadinessGates(const Value& pod) {
  const Value& gates = pod["spec"]["readinessGates"];
  if (gates.size() == 0) return "<none>";
  std::size_t ready = 0;
  for (const Value& gate : gates.items()) {
    for (const Value& condition : pod["status"]["conditions"].items()) {
      if (condition["type"].StringOrEmpty() == gate["conditionType"].StringOrEmpty()) {
        ready += condition["status"].StringOrEmpty() == "True" ? 1 : 0;
      }
    }
  }
  return std::to_string(ready) + "/" + std::to_string(gates.size());
}

std::vector<std::string> PodRow(const Value& o, WallTime now) {
  std::size_t ready = 0;
  std::int64_t restarts = 0;
  std::string last_restart;
  for (const Value& container : o["status"]["containerStatuses"].items()) {
    if (container["ready"].AsBool().value_or(false)) ++ready;
    restarts += container["restartCount"].AsInt64().value_or(0);
    const std::string& at = container["lastState"]["terminated"]["finishedAt"].StringOrEmpty();
    if (at > last_restart) last_restart = at;  // all times are in UTC, so text order is time order
  }
  std::string restart_text = std::to_string(restarts);
  if (restarts != 0 && !last_restart.empty()) {
    restart_text += " (" + AgeOf(last_restart, now) + " ago)";
  }
  return {Name(o),
          std::to_string(ready) + "/" + std::to_string(o["spec"]["containers"].size()),
          PodStatus(o),
          std::move(restart_text),
          Age(o, now),
          OrNone(o["status"]["podIP"].StringOrEmpty()),
          OrNone(o["spec"]["nodeName"].StringOrEmpty()),
          OrNone(o["status"]["nominatedNodeName"].StringOrEmpty()),
          ReadinessGates(o)};
}

std::vector<std::string> DeploymentRow(const Value& o, WallTime now) {
  const Value& status = o["status"];
  return {Name(o),
          Number(status["readyReplicas"]) + "/" + Number(o["spec"]["replicas"]),
          Number(status["updatedReplicas"]),
          Number(status["availableReplicas"]),
          Age(o, now),
          ContainerField(o["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["template"]["spec"], "image"),
          Selector(o["spec"]["selector"])};
}

std::vector<std::string> ReplicaSetRow(const Value& o, WallTime now) {
  return {Name(o),
          Number(o["spec"]["replicas"]),
          Number(o["status"]["replicas"]),
          Number(o["status"]["readyReplicas"]),
          Age(o, now),
          ContainerField(o["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["template"]["spec"], "image"),
          Selector(o["spec"]["selector"])};
}

std::vector<std::string> StatefulSetRow(const Value& o, WallTime now) {
  return {Name(o), Number(o["status"]["readyReplicas"]) + "/" + Number(o["spec"]["replicas"]),
          Age(o, now), ContainerField(o["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["template"]["spec"], "image")};
}

std::vector<std::string> DaemonSetRow(const Value& o, WallTime now) {
  const Value& status = o["status"];
  return {Name(o),
          Number(status["desiredNumberScheduled"]),
          Number(status["currentNumberScheduled"]),
          Number(status["numberReady"]),
          Number(status["updatedNumberScheduled"]),
          Number(status["numberAvailable"]),
          Labels(o["spec"]["template"]["spec"]["nodeSelector"]),
          Age(o, now),
          ContainerField(o["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["template"]["spec"], "image"),
          Selector(o["spec"]["selector"])};
}

std::string JobStatus(const Value& job) {
  for (const char* type :
       {"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    for (const Value& condition : job["status"]["conditions"].items()) {
      if (condition["type"].StringOrEmpty() == type &&
          condition["status"].StringOrEmpty() == "True") {
        return type;
      }
    }
  }
  return job["metadata"]["deletionTimestamp"].is_null() ? "Running" : "Terminating";
}

// Returns "1/3"; without completions "1/1", or "1/1 of 4" for four pods in parallel.
std::string JobCompletions(const Value& job) {
  const std::string done = Number(job["status"]["succeeded"]);
  const Value& wanted = job["spec"]["completions"];
  if (!wanted.is_null()) return done + "/" + Number(wanted);
  const std::int64_t parallel = job["spec"]["parallelism"].AsInt64().value_or(0);
  return done + (parallel > 1 ? "/1 of " + std::to_string(parallel) : "/1");
}

std::vector<std::string> JobRow(const Value& o, WallTime now) {
  const Value& status = o["status"];
  const std::string state = JobStatus(o);
  std::string duration;
  const std::int64_t start = ParseTime(status["startTime"].StringOrEmpty());
  const std::int64_t end = ParseTime(status["completionTime"].StringOrEmpty());
  if (start >= 0 && end >= 0) {
    duration = HumanDuration(std::chrono::seconds(end - start));
  } else if (start >= 0) {
    duration = AgeOf(status["startTime"].StringOrEmpty(), now);
  }
  return {Name(o),
          state,
          JobCompletions(o),
          duration,
          Age(o, now),
          ContainerField(o["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["template"]["spec"], "image"),
          Selector(o["spec"]["selector"])};
}

std::vector<std::string> CronJobRow(const Value& o, WallTime now) {
  const std::string& last = o["status"]["lastScheduleTime"].StringOrEmpty();
  return {Name(o),
          o["spec"]["schedule"].StringOrEmpty(),
          OrNone(o["spec"]["timeZone"].StringOrEmpty()),
          o["spec"]["suspend"].AsBool().value_or(false) ? "True" : "False",
          std::to_string(o["status"]["active"].size()),
          last.empty() ? "<none>" : AgeOf(last, now),
          Age(o, now),
          ContainerField(o["spec"]["jobTemplate"]["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["jobTemplate"]["spec"]["template"]["spec"], "image"),
          Selector(o["spec"]["jobTemplate"]["spec"]["selector"])};
}

}  // namespace

void AddWorkloadTables(ColumnsByKind& tables) {
  tables.insert({
      {"Pod.",
       {{{"Name"},
         {"Ready"},
         {"Status"},
         {"Restarts"},
         {"Age"},
         {"IP", true},
         {"Node", true},
         {"Nominated Node", true},
         {"Readiness Gates", true}},
        PodRow}},
      {"Deployment.apps",
       {{{"Name"},
         {"Ready"},
         Literal("Up-to-date"),
         Literal("Available"),
         {"Age"},
         {"Containers", true},
         {"Images", true},
         {"Selector", true}},
        DeploymentRow}},
      {"ReplicaSet.apps",
       {{{"Name"},
         Integer("Desired"),
         Integer("Current"),
         Integer("Ready"),
         {"Age"},
         {"Containers", true},
         {"Images", true},
         {"Selector", true}},
        ReplicaSetRow}},
      {"StatefulSet.apps",
       {{{"Name"}, {"Ready"}, {"Age"}, {"Containers", true}, {"Images", true}}, StatefulSetRow}},
      {"DaemonSet.apps",
       {{{"Name"},
         Integer("Desired"),
         Integer("Current"),
         Integer("Ready"),
         Integer("Up-to-date"),
         Integer("Available"),
         {"Node Selector"},
         {"Age"},
         {"Containers", true},
         {"Images", true},
         {"Selector", true}},
        DaemonSetRow}},
      {"Job.batch",
       {{{"Name"},
         {"Status"},
         {"Completions"},
         {"Duration"},
         {"Age"},
         {"Containers", true},
         {"Images", true},
         {"Selector", true}},
        JobRow}},
      {"CronJob.batch",
       {{{"Name"},
         {"Schedule"},
         {"Timezone"},
         Boolean("Suspend"),
         Integer("Active"),
         {"Last Schedule"},
         {"Age"},
         {"Containers", true},
         {"Images", true},
         {"Selector", true}},
        CronJobRow}},
  });
}

}  // namespace kinformer::internal::table
