// Two replicas of a program, of which one works at a time. Start it twice, with two names; stop the
// one that leads, and the other takes over at once.
//   leader_election NAME

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <syncstream>
#include <thread>

#include "kinformer/base.h"
#include "kinformer/leaderelection.h"

using kinformer::LeaderElector;

int main(int argc, char** argv) {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  const std::string name = argc > 1 ? argv[1] : "only";
  const auto say = [&name](const std::string& what) {
    std::osyncstream(std::cout) << name + " " + what + '\n' << std::flush;
  };
  const auto config = kinformer::Config::LoadDefault().OrExit();
  std::unique_ptr<LeaderElector> elector;
  const auto work = [&](const std::stop_token& until) {
    say("leads, term " + std::to_string(elector->LeaderEpoch().value_or(-1)));
    // Checked before each piece of work: by the clock, even if no notification has arrived yet.
    while (!until.stop_requested() && elector->IsLeader()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    say("has put its work down");
  };
  elector =
      LeaderElector::NewForLease(
          config, {.namespace_ = "default", .name = "printer", .identity = name},
          {.retry_period = std::chrono::seconds(1),
           .release_on_cancel = true,
           .callbacks = {.on_started_leading = work,
                         .on_stopped_leading = [&] { say("ends"); },
                         .on_new_leader =
                             [&](const std::string& leader) {
                               say("sees " + (leader.empty() ? "nobody lead" : leader + " lead"));
                             }}})
          .OrExit();
  elector->Run(stop.token());
}
