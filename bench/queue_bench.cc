// queue_bench: CPU time of the whole process to pass keys from one thread to others through the
// work queues, and the memory of a queued key.
//
//   queue_bench [KEYS [QUEUE [WORKLOAD]]]
//
// Each row: queue, workload, workers, operations (adds, gets and dones), CPU nanoseconds; for the
// workload fill also bytes of heap per key. test/peers/queues.go measures the same for client-go
// and controller-runtime; bench/queues runs both.
//
//   fill    one thread adds KEYS keys to an empty queue
//   drain   so many workers take all that a fill left
//   flow    one thread adds KEYS keys while the workers take them
//   hot     one thread adds 100 keys over and over, 5 * KEYS times, while the workers take them

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <malloc.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/internal/noted_queue.h"
#include "kinformer/object/object_name.h"
#include "kinformer/workqueue/fair_flows.h"
#include "kinformer/workqueue/priority_queue.h"
#include "kinformer/workqueue/work_queue.h"

#include "cpu_time.h"

namespace kinformer {
namespace {

double HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

std::vector<ObjectName> MakeKeys(std::size_t count) {
  std::vector<ObjectName> keys;
  keys.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    char name[64];
    std::snprintf(name, sizeof(name), "application-%zu-%010zx-%05zx", i % 100,
                  i / 700 * 2654435761 % (std::size_t{1} << 40), i);
    keys.push_back({"team-" + std::to_string(i % 100), name});
  }
  return keys;
}

// A controller's queue, which has the causes of each key.
class WithCauses final : public PriorityQueue<ObjectName> {
 public:
  explicit WithCauses(Env& env)
      : PriorityQueue(env,
                      std::make_unique<ItemExponentialFailureRateLimiter<ObjectName>>(
                          std::chrono::milliseconds(5), std::chrono::seconds(1000)),
                      {}, std::nullopt, internal::NotesOfCauses()) {}
  void Add(const ObjectName& key) {
    internal::NotedQueue::Add(*this, {}, key, [&](void* note, SteadyTime now) {
      static_cast<internal::CauseNote*>(note)->Add(book_.Here(key), now, book_.budget());
    });
  }
  std::optional<ObjectName> Get() {
    internal::CauseNote causes;
    const auto next = internal::NotedQueue::Get(
        *this, [&](void* note) { causes = std::move(*static_cast<internal::CauseNote*>(note)); });
    return next ? std::optional(next->item) : std::nullopt;
  }

 private:
  internal::CauseBook book_;
};

template <class Queue>
class QueueBench {
 public:
  QueueBench(Env& env, const char* name, const std::vector<ObjectName>& keys,
             std::function<std::unique_ptr<Queue>()> make)
      : env_(env), name_(name), keys_(keys), make_(std::move(make)) {}

  // All workloads, or those that `only` names.
  void Run(std::string_view only) {
    for (const std::size_t workers : {std::size_t{1}, std::size_t{8}}) {
      if (only.empty() || only == "fill" || only == "drain") FillAndDrain(workers);
      if (only.empty() || only == "flow") Mixed("flow", workers, keys_.size(), keys_.size());
      if (only.empty() || only == "hot") Mixed("hot", workers, 5 * keys_.size(), 100);
    }
  }

 private:
  void Row(const char* workload, std::size_t workers, std::size_t operations, double cpu,
           double bytes = 0) {
    std::printf("%s %s %zu %zu %.0f %.1f\n", name_, workload, workers, operations, cpu, bytes);
  }

  std::vector<std::unique_ptr<Thread>> StartWorkers(Queue& queue, std::size_t workers) {
    std::vector<std::unique_ptr<Thread>> threads;
    for (std::size_t i = 0; i < workers; ++i) {
      threads.push_back(env_.NewThread("w", [&] {
        std::size_t taken = 0;
        while (const auto key = queue.Get()) {
          queue.Done(*key);
          ++taken;
        }
        taken_ += taken;
      }));
    }
    return threads;
  }

  void FillAndDrain(std::size_t workers) {
    const std::unique_ptr<Queue> queue = make_();
    const double heap = HeapBytes();
    double start = CpuNanoseconds();
    for (const ObjectName& key : keys_) queue->Add(key);
    double end = CpuNanoseconds();
    if (workers == 1) {
      Row("fill", 1, keys_.size(), end - start,
          (HeapBytes() - heap) / static_cast<double>(keys_.size()));
    }
    start = CpuNanoseconds();
    auto threads = StartWorkers(*queue, workers);
    static_cast<void>(queue->ShutDownWithDrain());
    threads.clear();
    end = CpuNanoseconds();
    Row("drain", workers, 2 * keys_.size(), end - start);
  }

  void Mixed(const char* workload, std::size_t workers, std::size_t adds, std::size_t distinct) {
    const std::unique_ptr<Queue> queue = make_();
    taken_ = 0;
    const double start = CpuNanoseconds();
    auto threads = StartWorkers(*queue, workers);
    for (std::size_t i = 0, key = 0; i < adds; ++i) {
      queue->Add(keys_[key]);
      if (++key == distinct) key = 0;
    }
    static_cast<void>(queue->ShutDownWithDrain());
    threads.clear();
    Row(workload, workers, adds + 2 * taken_, CpuNanoseconds() - start);
  }

  Env& env_;
  const char* const name_;
  const std::vector<ObjectName>& keys_;
  const std::function<std::unique_ptr<Queue>()> make_;
  std::atomic<std::size_t> taken_{0};
};

void Run(std::size_t count, std::string_view queue, std::string_view workload) {
  const std::vector<ObjectName> keys = MakeKeys(count);
  Runtime plain;
  Runtime measured({.metrics = NewTextMetrics()});
  using Fifo = WorkQueue<ObjectName>;
  using Priority = PriorityQueue<ObjectName>;
  const auto wanted = [&](std::string_view name) { return queue.empty() || queue == name; };
  if (wanted("WorkQueue")) {
    QueueBench<Fifo>(plain.env(), "WorkQueue", keys, [&] {
      return std::make_unique<Fifo>(plain.env());
    }).Run(workload);
  }
  if (wanted("PriorityQueue")) {
    QueueBench<Priority>(plain.env(), "PriorityQueue", keys, [&] {
      return std::make_unique<Priority>(plain.env());
    }).Run(workload);
  }
  if (wanted("PriorityQueue+flows")) {  // a hundred namespaces
    QueueBench<Priority>(plain.env(), "PriorityQueue+flows", keys, [&] {
      return std::make_unique<Priority>(plain.env(), FairFlows<ObjectName>());
    }).Run(workload);
  }
  if (wanted("PriorityQueue+metrics")) {
    QueueBench<Priority>(measured.env(), "PriorityQueue+metrics", keys, [&] {
      return std::make_unique<Priority>(measured.env(), PriorityQueueOptions{.name = "bench"});
    }).Run(workload);
  }
  if (wanted("PriorityQueue+causes")) {
    QueueBench<WithCauses>(plain.env(), "PriorityQueue+causes", keys, [&] {
      return std::make_unique<WithCauses>(plain.env());
    }).Run(workload);
  }
}

}  // namespace
}  // namespace kinformer

int main(int argc, char** argv) {
  const auto argument = [&](int i) { return std::string_view(i < argc ? argv[i] : ""); };
  kinformer::Run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000, argument(2),
                 argument(3));
}
