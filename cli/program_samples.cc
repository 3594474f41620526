#include "cli/program_samples.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/printable.h"

namespace kinformer::cli {
namespace {

using json::Value;

std::string Text(const Value& object, std::string_view name) {
  const Value* const found = object.Find(name);
  return found == nullptr ? std::string() : found->StringOrEmpty();
}

std::uint64_t Count(const Value& object, std::string_view name) {
  const Value* const found = object.Find(name);
  return found == nullptr ? 0 : found->AsUint64().value_or(0);
}

std::optional<Duration> Seconds(const Value& object, std::string_view name) {
  const Value* const found = object.Find(name);
  const std::optional<double> seconds = found == nullptr ? std::nullopt : found->AsDouble();
  // 292 years are the longest Duration.
  if (!seconds || *seconds < 0 || *seconds > 9e9) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds));
}

const std::vector<Value>& Items(const Value& object, std::string_view name) {
  static const std::vector<Value>* const kNone = new std::vector<Value>();
  const Value* const found = object.Find(name);
  const auto* const items = found == nullptr ? nullptr : found->IfArray();
  return items == nullptr ? *kNone : *items;
}

InformerState StateOf(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(InformerState::kAbsent); ++i) {
    if (ToString(static_cast<InformerState>(i)) == text) return static_cast<InformerState>(i);
  }
  return InformerState::kNotStarted;
}

}  // namespace

std::vector<TopSample> InformersOf(const Value& state) {
  std::vector<TopSample> samples;
  for (const Value& informer : Items(state, "informers")) {
    TopSample sample{.resource = Text(informer, "name")};
    sample.error = Text(informer, "error");
    sample.stats.objects = Count(informer, "objects");
    sample.stats.object_bytes = Count(informer, "objectBytes");
    sample.stats.queued = Count(informer, "queued");
    sample.stats.modified = Count(informer, "events");
    sample.stats.status.state = StateOf(Text(informer, "state"));
    sample.stats.status.progress_age = Seconds(informer, "progressAgeSeconds");
    sample.stats.status.retry_in = Seconds(informer, "retryInSeconds");
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<ControllerSample> ControllersOf(const Value& state) {
  std::vector<ControllerSample> samples;
  for (const Value& controller : Items(state, "controllers")) {
    ControllerSample sample{.name = Text(controller, "name"),
                            .workers = Count(controller, "workers"),
                            .busy = Items(controller, "running").size(),
                            .waiting = Count(controller, "waiting"),
                            .delayed = Count(controller, "delayed"),
                            .failing = Count(controller, "failing"),
                            .oldest = Seconds(controller, "oldestSeconds").value_or(Duration(0)),
                            .reconciles = Count(controller, "reconciles"),
                            .errors = Count(controller, "errors"),
                            .now = Text(controller, "heldBack")};
    sample.held_back = !sample.now.empty();
    for (const Value& running : Items(controller, "running")) {
      if (sample.held_back) break;
      sample.now += (sample.now.empty() ? "" : ", ") + Text(running, "request");
    }
    for (const Value& fight : Items(controller, "fights")) {
      const Value* const under_way = fight.Find("underWay");
      if (under_way == nullptr || !under_way->AsBool().value_or(false)) continue;
      sample.now += (sample.now.empty() ? "" : ", ") + ("fight over " + Text(fight, "field")) +
                    " of " + Text(fight, "object");
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::string TitleOf(const Value& state) {
  std::string title = Printable(Text(state, "program")) + " (pid " +
                      std::to_string(Count(state, "pid")) + "), up " +
                      AgeText(Seconds(state, "uptimeSeconds").value_or(Duration(0))) + ", " +
                      ByteText(Count(state, "residentBytes"));
  for (const Value& lease : Items(state, "leases")) {
    const Value* const leads = lease.Find("leads");
    const bool is_leader = leads != nullptr && leads->AsBool().value_or(false);
    title += (is_leader ? ", leads " : ", waits to lead ") + Printable(Text(lease, "name"));
  }
  return title;
}

}  // namespace kinformer::cli
