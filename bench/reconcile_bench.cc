// reconcile_bench: cost of a reconcile that does nothing: from the queue to a worker, and back.
//
//   reconcile_bench [ROUNDS [KEYS]]
//
// Adds KEYS requests to a controller with one worker, ROUNDS times, and waits after each round
// until all are reconciled. Prints the reconciles, and the CPU nanoseconds of each. Under
//
//   valgrind --tool=callgrind --callgrind-out-file=/dev/null reconcile_bench ROUNDS
//
// the difference of two runs, by the difference of their reconciles, is the instructions of one.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/controller/controller.h"

#include "cpu_time.h"

namespace kinformer {
namespace {

void Run(std::size_t rounds, std::size_t count) {
  std::vector<Request> keys;
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back({"team-" + std::to_string(i % 100), "application-" + std::to_string(i)});
  }
  Runtime runtime({.metrics = NewTextMetrics()});
  std::atomic<std::size_t> done{0};
  const auto controller =
      Controller::New(runtime.env(),
                      ReconcilerOf<Request>([&](const ReconcileContext&, const Request&) {
                        done.fetch_add(1, std::memory_order_relaxed);
                        return Result<ReconcileResult>(ReconcileResult{});
                      }),
                      {.name = "bench"})
          .OrExit();
  std::optional<RequestQueue<Request>> queue;
  std::atomic<bool> started{false};
  controller
      ->Watch(source::Func<Request>("bench",
                                    [&](const std::stop_token&, const RequestQueue<Request>& q) {
                                      queue.emplace(q);
                                      started = true;
                                      return Result<void>();
                                    }))
      .OrExit();
  std::stop_source stop;
  std::thread thread([&] { controller->Start(stop.get_token()).OrExit(); });
  while (!started) std::this_thread::yield();
  const double begun = CpuNanoseconds();
  for (std::size_t round = 1; round <= rounds; ++round) {
    for (const Request& key : keys) queue->Add(key);
    while (done < round * count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const double cpu = CpuNanoseconds() - begun;
  const auto reconciles = static_cast<double>(rounds * count);
  std::printf("%.0f reconciles, %.0f ns CPU each\n", reconciles, cpu / reconciles);
  stop.request_stop();
  thread.join();
}

}  // namespace
}  // namespace kinformer

int main(int argc, char** argv) {
  const auto number = [&](int i, std::size_t otherwise) {
    return i < argc ? std::strtoul(argv[i], nullptr, 10) : otherwise;
  };
  kinformer::Run(number(1, 10), number(2, 100'000));
}
