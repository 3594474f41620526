// A scheduler: leads or waits, fills its caches, and binds pods to nodes.
//   scheduler_start [--delay-cache-until-active]

#include <chrono>
#include <iostream>
#include <string>
#include <string_view>
#include <syncstream>

#include "kinformer/base/stop.h"
#include "kinformer/client/config.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "scheduler_start/scheduler.h"

int main(int argc, char** argv) {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  const auto config = kinformer::Config::LoadDefault().OrExit();
  auto client = kinformer::Client::NewForConfig(config, {.qps = 50, .burst = 100}).OrExit();
  scheduler::Scheduler scheduler(
      client, {.delay_cache_until_active =
                   argc > 1 && std::string_view(argv[1]) == "--delay-cache-until-active",
               .say = [](const std::string& line) {
                 std::osyncstream(std::cout) << line + '\n' << std::flush;
               }});
  // A waiting replica keeps its caches filled, unless that is delayed.
  if (const auto ready = scheduler.BeforeElection(stop.token()); !ready) {
    std::cerr << ready.error() << std::endl;
    return stop.stop_requested() ? 0 : 1;
  }
  auto elector =
      kinformer::LeaderElector::NewForLease(
          config, {.namespace_ = "kube-system", .name = "kube-scheduler"},
          {.release_on_cancel = true,
           .callbacks = {
               .on_started_leading = [&](const std::stop_token& until) { scheduler.Lead(until); },
               .on_stopped_leading = [] {}}})
          .OrExit();
  elector->Run(stop.token());
  // A process that has lost the Lease ends, and starts again as a new process.
  return stop.stop_requested() ? 0 : 1;
}
