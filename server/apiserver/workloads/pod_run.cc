#include "apiserver/workloads/pod_run.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

#include "apiserver/workloads/object_parts.h"

namespace kinformer::apiserver::workloads {
namespace {

using State = ContainerState;

// A kubelet's delays between the runs of a container that ends: the first follows at once.
constexpr Duration kFirstBackOff = std::chrono::seconds(10);
constexpr Duration kLongestBackOff = std::chrono::minutes(5);
// A run this long makes it forget them.
constexpr Duration kLongRun = std::chrono::minutes(10);
constexpr Duration kRestart = std::chrono::milliseconds(500);
constexpr Duration kPullReport = std::chrono::seconds(1);
constexpr DelayRange kTaskTime{.least = std::chrono::seconds(2), .most = std::chrono::seconds(4)};
constexpr DelayRange kInitTime{.least = std::chrono::milliseconds(300),
                               .most = std::chrono::milliseconds(700)};

// Matches * with any text.
bool Matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;  // the last one
  std::size_t behind = 0;                     // the text behind what it matches
  for (std::size_t t = 0; t < text.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      behind = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++behind;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

Duration Doubled(Duration back_off) {
  return back_off == Duration::zero() ? kFirstBackOff : std::min(back_off * 2, kLongestBackOff);
}

bool MayRunAgain(const ContainerRun& run) {
  return run.rule == RestartRule::kAlways ||
         (run.rule == RestartRule::kOnFailure && run.exit_code != 0);
}

std::string RunName(const PodRun& pod, const ContainerRun& run, const char* what) {
  return pod.key + "/" + run.name + "/" + std::to_string(run.restarts) + "/" + what;
}

void Create(const PodRun& pod, ContainerRun& run, const Dice& dice, WallTime now) {
  run.state = State::kCreating;
  run.due = now + dice.Delay(run.behaviour.start_delay, RunName(pod, run, "start"));
}

void SetDue(const PodRun& pod, ContainerRun& run, const Dice& dice) {
  run.due = run.ends;
  if (run.ready || run.behaviour.never_ready) return;
  const WallTime ready =
      run.started + dice.Delay(run.behaviour.ready_delay, RunName(pod, run, "ready"));
  if (!run.due || ready <= *run.due) run.due = ready;
}

void Start(const PodRun& pod, ContainerRun& run, const Dice& dice, WallTime now) {
  const PodBehaviour& behaviour = run.behaviour;
  run.state = State::kRunning;
  run.started = now;
  run.ready = false;
  run.ends.reset();
  run.next_is_crash = false;
  const std::string name = RunName(pod, run, "run");
  const auto& crash = behaviour.crash;
  if (crash && (!crash->times || run.crashes < *crash->times) &&
      dice.Unit(name) < crash->probability) {
    run.next_is_crash = true;
    run.next_exit_code = crash->exit_code;
    run.ends = now + dice.Delay(crash->after, name);
  } else if (run.initializes) {
    run.next_exit_code = 0;
    run.ends = now + dice.Delay(kInitTime, name);
  } else if (behaviour.runs_for || (run.rule != RestartRule::kAlways && !run.sidecar)) {
    run.next_exit_code = behaviour.exit_code;
    run.ends = now + dice.Delay(behaviour.runs_for.value_or(kTaskTime), name);
  }
  SetDue(pod, run, dice);
}

void End(ContainerRun& run, int exit_code, WallTime now) {
  run.state = State::kEnded;
  run.finished = now;
  run.exit_code = exit_code;
  run.ready = run.initializes && exit_code == 0;
  run.due.reset();
}

// Ends a run, and decides about the next one.
void Finish(ContainerRun& run, WallTime now) {
  End(run, run.next_exit_code, now);
  if (run.next_is_crash) ++run.crashes;
  if (!MayRunAgain(run)) return;
  if (now - run.started >= kLongRun) run.back_off = Duration::zero();
  if (run.back_off == Duration::zero()) {
    run.due = now + kRestart;
  } else {
    run.state = State::kCrashBackOff;
    run.due = now + run.back_off;
  }
}

void Restart(const PodRun& pod, ContainerRun& run, const Dice& dice, WallTime now) {
  run.ended_before = true;
  run.last_started = run.started;
  run.last_finished = run.finished;
  run.last_exit_code = run.exit_code;
  run.back_off = Doubled(run.back_off);
  ++run.restarts;
  Start(pod, run, dice, now);
}

// Makes the change that is due.
void Step(const PodRun& pod, ContainerRun& run, const Dice& dice, WallTime now,
          std::vector<ContainerChange>& changes) {
  using What = ContainerChange::What;
  switch (run.state) {
    case State::kCreating:
    case State::kPullBackOff:
      if (run.behaviour.image_pull_fails) {
        run.state = State::kPullFailed;
        run.due = now + kPullReport;
        changes.push_back({.container = &run, .what = What::kPullFailed});
      } else {
        Start(pod, run, dice, now);
        changes.push_back({.container = &run, .what = What::kStarted});
      }
      break;
    case State::kPullFailed: {
      Duration delay = kFirstBackOff;
      for (int i = 0; i < run.failed_pulls && delay < kLongestBackOff; ++i) delay = Doubled(delay);
      ++run.failed_pulls;
      run.state = State::kPullBackOff;
      run.due = now + delay;
      break;
    }
    case State::kRunning:
      if (run.ends && now >= *run.ends) {
        Finish(run, now);
        if (run.state == State::kCrashBackOff) {
          changes.push_back({.container = &run, .what = What::kBackOff});
        }
      } else {
        run.ready = true;
        run.due = run.ends;
      }
      break;
    case State::kEnded:
    case State::kCrashBackOff:
      Restart(pod, run, dice, now);
      changes.push_back({.container = &run, .what = What::kStarted});
      break;
    case State::kWaiting:
      run.due.reset();
      break;
  }
}

RestartRule RuleOf(const std::string& policy) {
  if (policy == "Never") return RestartRule::kNever;
  return policy == "OnFailure" ? RestartRule::kOnFailure : RestartRule::kAlways;
}

ContainerRun NewRun(const WorkloadScript& script, const json::Value& pod,
                    const json::Value& container, bool init) {
  ContainerRun run{.name = container["name"].StringOrEmpty(),
                   .image = container["image"].StringOrEmpty()};
  run.behaviour = BehaviourOf(script, pod, run.image);
  run.rule = RuleOf(Text(pod, "/spec/restartPolicy"));
  run.sidecar = init && container["restartPolicy"].StringOrEmpty() == "Always";
  run.initializes = init && !run.sidecar;
  if (run.sidecar) run.rule = RestartRule::kAlways;
  if (run.initializes && run.rule == RestartRule::kAlways) run.rule = RestartRule::kOnFailure;
  return run;
}

}  // namespace

bool ContainerRun::IsDone() const { return state == State::kEnded && !due; }

bool ContainerRun::Passed() const {
  return sidecar ? state == State::kRunning : IsDone() && exit_code == 0;
}

std::vector<ContainerChange> PodRun::Advance(const Dice& dice, WallTime now) {
  std::vector<ContainerChange> changes;
  const auto advance = [&](ContainerRun& run) {
    if (run.state == State::kWaiting) Create(*this, run, dice, now);
    while (run.due && *run.due <= now) Step(*this, run, dice, now, changes);
  };
  for (ContainerRun& run : inits) {
    advance(run);
    if (!run.Passed() && !(run.sidecar && run.ended_before)) return changes;
  }
  for (ContainerRun& run : containers) advance(run);
  return changes;
}

void PodRun::Stop(WallTime now) {
  for (auto* list : {&inits, &containers}) {
    for (ContainerRun& run : *list) {
      if (run.state == State::kRunning) End(run, 0, now);
      run.due.reset();
    }
  }
}

std::optional<WallTime> PodRun::Due() const {
  std::optional<WallTime> due;
  for (const auto* list : {&inits, &containers}) {
    for (const ContainerRun& run : *list) {
      if (run.due && (!due || *run.due < *due)) due = run.due;
    }
  }
  return due;
}

PodBehaviour BehaviourOf(const WorkloadScript& script, const json::Value& pod,
                         const std::string& image) {
  for (const PodBehaviour& behaviour : script.pods) {
    if (!behaviour.namespace_.empty() && behaviour.namespace_ != NamespaceOf(pod)) continue;
    if (!Selects(behaviour.selector, pod)) continue;
    if (behaviour.image.empty() || Matches(behaviour.image, image)) return behaviour;
  }
  return {};
}

PodRun NewPodRun(const WorkloadScript& script, const json::Value& pod, WallTime now) {
  PodRun run{.key = KeyOf(pod), .begun = now};
  for (const json::Value& container : pod["spec"]["initContainers"].items()) {
    run.inits.push_back(NewRun(script, pod, container, /*init=*/true));
  }
  for (const json::Value& container : pod["spec"]["containers"].items()) {
    run.containers.push_back(NewRun(script, pod, container, /*init=*/false));
  }
  return run;
}

}  // namespace kinformer::apiserver::workloads
