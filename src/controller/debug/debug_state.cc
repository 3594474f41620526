#include "controller/debug/debug_state.h"

#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <unistd.h>
#include <utility>

#include "kinformer/json/json.h"
#include "kinformer/object/time.h"

namespace kinformer::internal::debug {
namespace {

using json::Value;

double Seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

// Returns the time in seconds, or null.
Value MaybeSeconds(const std::optional<Duration>& span) {
  return span ? Value(Seconds(*span)) : Value();
}

Value StatusOf(const FactoryInformerStats& informer) {
  const InformerStats& stats = informer.stats;
  const InformerStatus& status = stats.status;
  return Value::MakeObject({
      {"name", informer.name},
      {"apiVersion", informer.apiVersion},
      {"resource", informer.resource},
      {"synced", informer.synced},
      {"state", std::string(ToString(status.state))},
      {"stateSeconds", Seconds(status.state_age)},
      {"progressAgeSeconds", MaybeSeconds(status.progress_age)},
      {"retryInSeconds", MaybeSeconds(status.retry_in)},
      {"error", status.ErrorText()},
      {"objects", stats.objects},
      {"objectBytes", stats.object_bytes},
      {"unreadable", stats.unreadable},
      {"leftOut", stats.left_out},
      {"events", stats.added + stats.modified + stats.deleted + stats.unchanged},
      {"queued", stats.queued},
      {"queuedBytes", stats.queued_bytes},
      {"handlers", stats.handlers},
      {"delivered", stats.delivered},
      {"coalesced", stats.coalesced},
      {"dropped", stats.dropped},
      {"lists", stats.AllLists()},
      {"watches", stats.watches},
      {"errors", stats.errors},
      {"inconsistencies", stats.inconsistencies},
      {"resourceVersion", stats.resourceVersion},
  });
}

Value StatusOf(const ControllerFigures::Fight& fight) {
  Value others = Value::MakeArray();
  for (const std::string& other : fight.others) others.Append(other);
  return Value::MakeObject({
      {"request", fight.request},
      {"kind", fight.kind},
      {"object", fight.object},
      {"field", fight.field},
      {"type", fight.type},
      {"manager", fight.manager},
      {"others", std::move(others)},
      {"rounds", fight.rounds},
      {"begunSeconds", Seconds(fight.begun)},
      {"agoSeconds", Seconds(fight.ago)},
      {"underWay", fight.under_way},
      {"heldSeconds", Seconds(fight.held)},
  });
}

Value StatusOf(const ControllerFigures& controller) {
  Value running = Value::MakeArray();
  for (const ControllerFigures::Running& one : controller.running) {
    running.Append(Value::MakeObject({{"request", one.request}, {"seconds", Seconds(one.age)}}));
  }
  Value failures = Value::MakeArray();
  for (const ControllerFigures::Failure& one : controller.failures) {
    failures.Append(Value::MakeObject({{"request", one.request},
                                       {"agoSeconds", Seconds(one.ago)},
                                       {"attempts", one.attempts},
                                       {"error", one.error}}));
  }
  Value fights = Value::MakeArray();
  for (const ControllerFigures::Fight& one : controller.fights) fights.Append(StatusOf(one));
  return Value::MakeObject({
      {"name", controller.name},
      {"workers", controller.workers},
      {"waiting", controller.waiting},
      {"delayed", controller.delayed},
      {"oldestSeconds", Seconds(controller.oldest)},
      {"failing", controller.failing},
      {"heldBack", controller.held_back},
      {"reconciles", controller.reconciles},
      {"errors", controller.errors},
      {"parked", controller.parked},
      {"running", std::move(running)},
      {"failures", std::move(failures)},
      {"fights", std::move(fights)},
  });
}

template <class T>
Value ListOf(const std::vector<T>& items) {
  Value list = Value::MakeArray();
  for (const T& item : items) list.Append(StatusOf(item));
  return list;
}

}  // namespace

ProcessState ThisProcess() {
  ProcessState process;
  process.program = program_invocation_short_name;
  process.pid = getpid();
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  if (std::ifstream("/proc/self/statm") >> pages >> resident) {
    process.resident_bytes = resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
  timespec used{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0) {
    process.cpu = std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  }
  return process;
}

std::string ToJson(const DebugState& state) {
  Value leases = Value::MakeArray();
  if (state.lease) {
    leases.Append(Value::MakeObject({{"name", state.lease->name},
                                     {"identity", state.lease->identity},
                                     {"leader", state.lease->leader},
                                     {"leads", state.lease->leads}}));
  }
  const ProcessState& process = state.process;
  const auto now = std::chrono::floor<std::chrono::system_clock::duration>(state.now);
  return Value::MakeObject({
                               {"time", metav1::MicroTime(now).ToString()},
                               {"program", process.program},
                               {"pid", process.pid},
                               {"uptimeSeconds", Seconds(state.uptime)},
                               {"residentBytes", process.resident_bytes},
                               {"cpuSeconds", Seconds(process.cpu)},
                               {"elected", state.elected},
                               {"leases", std::move(leases)},
                               {"controllers", ListOf(state.controllers)},
                               {"informers", ListOf(state.informers)},
                           })
      .Dump();
}

}  // namespace kinformer::internal::debug
