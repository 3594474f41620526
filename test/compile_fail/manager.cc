// Typical first mistakes with a Manager, an election and workers.
// case add_function: Add takes a std::shared_ptr to a Runnable: .*RunnableFunc
// case add_value: Add takes a std::shared_ptr to a Runnable: .*std::make_shared<YourRunnable>
// case runnable_without_stop: a RunnableFunc is called with the token that tells it to stop
// case runnable_of_void: a RunnableFunc is called with the token that tells it to stop
// case check_of_request: a check is called with nothing, no request either
// case check_of_bool: a check is called with nothing, no request either
// case lead_without_stop: on_started_leading is called with the token that tells it to stop
// case end_with_stop: on_stopped_leading is called with nothing
// case leader_of_number: on_new_leader is called with who leads
// case worker_with_stop: a function of workers is called with the item alone
// case worker_of_bool: a function of workers is called with the item alone
// case errors_of_reflector: a handler of watch errors is called with the error alone
// case start_of_source: Start takes the token: Start\(signals.token\(\)\)
// case workers_of_plain_queue: RunWorkers adds what has failed again, later and later
// case owned_capture: this function cannot be copied, since it captures something that cannot

#include "kinformer/controller/manager.h"

#include <memory>
#include <stop_token>
#include <string>

#include "kinformer/cache/reflector_options.h"
#include "kinformer/client/transport.h"
#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/workqueue/rate_limiting_queue.h"
#include "kinformer/workqueue/worker.h"

using kinformer::ObjectName;
using kinformer::Result;
using kinformer::RunnableFunc;

struct Server : kinformer::Runnable {
  Result<void> Start(const std::stop_token&) override { return {}; }
};

void Use(kinformer::Manager& manager, kinformer::RateLimitingQueue<ObjectName>& queue) {
  Server by_value;
  auto owned = std::make_unique<int>(1);
  static_cast<void>(by_value);
#if defined(add_function)
  manager.Add([](const std::stop_token&) -> Result<void> { return {}; }).OrExit();
#elif defined(add_value)
  manager.Add(by_value).OrExit();
#elif defined(runnable_without_stop)
  manager.Add(std::make_shared<RunnableFunc>([] { return Result<void>(); })).OrExit();
#elif defined(runnable_of_void)
  manager.Add(std::make_shared<RunnableFunc>([](const std::stop_token&) {})).OrExit();
#elif defined(check_of_request)
  manager.AddHealthzCheck("ping", [](const kinformer::HttpRequest&) { return Result<void>(); })
      .OrExit();
#elif defined(check_of_bool)
  manager.AddReadyzCheck("ping", [] { return true; }).OrExit();
#elif defined(lead_without_stop)
  const kinformer::LeaderElectionConfig config{.callbacks = {.on_started_leading = [](int) {}}};
#elif defined(end_with_stop)
  const kinformer::LeaderElectionConfig config{
      .callbacks = {.on_stopped_leading = [](std::stop_token) {}}};
#elif defined(leader_of_number)
  const kinformer::LeaderCallbacks callbacks{.on_new_leader = [](int) {}};
#elif defined(worker_with_stop)
  auto workers = RunWorkers(manager.env(), queue, 2,
                            [](std::stop_token, const ObjectName&) { return Result<void>(); });
#elif defined(worker_of_bool)
  auto workers = RunWorkers(manager.env(), queue, 2, [](const ObjectName&) { return true; });
#elif defined(errors_of_reflector)
  const kinformer::ReflectorOptions options{
      .watch_error_handler = [](const std::string&, const kinformer::Error&) {}};
#elif defined(start_of_source)
  std::stop_source source;
  manager.Start(source).OrExit();
#elif defined(workers_of_plain_queue)
  kinformer::WorkQueue<ObjectName> plain(manager.env());
  auto workers =
      RunWorkers(manager.env(), plain, 2, [](const ObjectName&) -> Result<void> { return {}; });
#elif defined(owned_capture)
  const kinformer::LeaderCallbacks callbacks{
      .on_stopped_leading = [owned = std::move(owned)] { static_cast<void>(*owned); }};
#else
  manager.Add(std::make_shared<Server>()).OrExit();
  manager.Add(std::make_unique<Server>()).OrExit();
  manager.Add(std::make_shared<RunnableFunc>([](const auto&) { return Result<void>(); })).OrExit();
  manager.AddHealthzCheck("ping", kinformer::healthz::Ping).OrExit();
  manager.AddHealthzCheck("pong", [] { return Result<void>(); }).OrExit();
  const kinformer::LeaderElectionConfig config{
      .callbacks = {.on_started_leading = [](std::stop_token) {},
                    .on_stopped_leading = [] {},
                    .on_new_leader = [](std::string) {}}};
  const kinformer::LeaderElectionConfig none{.callbacks = {.on_new_leader = nullptr}};
  auto workers =
      RunWorkers(manager.env(), queue, 2, [](const ObjectName&) -> Result<void> { return {}; });
  const kinformer::ReflectorOptions options{.watch_error_handler = [](const kinformer::Error&) {}};
#endif
}
