// take_over_bench: how long after the end of its Lease the work of a leader that is gone goes on,
// in real time, on a running API server.
//
//   take_over_bench --kubeconfig FILE [--pairs N] [--rounds N]
//
// Each pair has a namespace with one ConfigMap, a manager that leads, and one that stands by with
// warm caches, with the usual times of a Lease (15 s, renewed every 2 s). Once in a round the
// leader ends without giving its Lease up, as one that crashes, and another standby begins. Prints
// quantiles of the time from the end of the Lease, by the time that is written into it, to the
// first reconcile of the standby, and of that from its election to its first reconcile.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "kinformer/api/coordinationv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/manager.h"
#include "kinformer/controller/runnable.h"

namespace kinformer {
namespace {

using Clock = std::chrono::system_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLease{15};

class Candidate {
 public:
  Candidate(const Config& config, const std::string& space) {
    ManagerOptions options;
    options.cluster.cache.namespace_ = space;
    options.controller.enable_warmup = true;
    options.leader_election = true;
    options.leader_election_id = "take-over";
    options.leader_election_namespace = space;
    options.lease_duration = kLease;
    options.metrics_bind_address = "0";
    options.health_probe_bind_address = "0";
    manager_ = Manager::New(config, options).OrExit();
    manager_
        ->Add(std::make_shared<RunnableFunc>([this](const std::stop_token&) {
          elected_ = Clock::now().time_since_epoch();
          return Result<void>();
        }))
        .OrExit();
    ControllerBuilder(*manager_)
        .For<corev1::ConfigMap>()
        .Complete([this](const ReconcileContext&, const Request&) {
          if (!works_) reconciled_ = Clock::now().time_since_epoch();
          works_ = true;
          return Result<ReconcileResult>(ReconcileResult{});
        })
        .OrExit();
    thread_ = std::thread([this] { static_cast<void>(manager_->Start(stop_.get_token())); });
  }
  ~Candidate() { End(); }
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  // The Lease is left to run out.
  void End() {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
  }
  void AwaitWork() const {
    while (!works_) std::this_thread::sleep_for(milliseconds(5));
  }
  [[nodiscard]] Clock::time_point elected() const { return Clock::time_point(elected_.load()); }
  [[nodiscard]] Clock::time_point reconciled() const {
    return Clock::time_point(reconciled_.load());
  }

 private:
  std::unique_ptr<Manager> manager_;
  std::atomic<Clock::duration> elected_{};
  std::atomic<Clock::duration> reconciled_{};
  std::atomic<bool> works_{false};
  std::stop_source stop_;
  std::thread thread_;
};

class Times {
 public:
  void Add(Clock::duration time) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::chrono::duration<double, std::milli>(time).count());
  }
  void Print(const char* what) {
    std::sort(all_.begin(), all_.end());
    const auto quantile = [&](double share) {
      return all_.at(static_cast<std::size_t>(share * static_cast<double>(all_.size() - 1)));
    };
    std::printf("%-28s%5zu   p50 %7.1f ms   p99 %7.1f ms   longest %7.1f ms\n", what, all_.size(),
                quantile(0.5), quantile(0.99), quantile(1));
  }

 private:
  std::mutex mutex_;
  std::vector<double> all_;
};

void RunPair(const Config& config, std::size_t number, std::size_t rounds, Times& after_lease,
             Times& after_election) {
  const std::string space = "take-over-" + std::to_string(getpid()) + "-" + std::to_string(number);
  const Client client = Client::NewForConfig(config).OrExit();
  corev1::Namespace::Mutable made;
  made.metadata.name = space;
  client.For<corev1::Namespace>().Create(made).OrExit();
  corev1::ConfigMap::Mutable map;
  map.metadata.name = "a";
  client.For<corev1::ConfigMap>(space).Create(map).OrExit();

  std::minstd_rand dice(static_cast<unsigned>(number));
  auto leader = std::make_unique<Candidate>(config, space);
  leader->AwaitWork();
  for (std::size_t round = 0; round < rounds; ++round) {
    auto standby = std::make_unique<Candidate>(config, space);
    std::this_thread::sleep_for(seconds(6) + milliseconds(dice() % 4000));
    leader->End();
    const auto lease = client.For<coordinationv1::Lease>(space).Get("take-over").OrExit();
    const Clock::time_point end = lease->spec().renewTime()->ToTimePoint() + kLease;
    standby->AwaitWork();
    after_lease.Add(standby->reconciled() - end);
    after_election.Add(standby->reconciled() - standby->elected());
    leader = std::move(standby);
  }
}

int Run(const std::string& kubeconfig, std::size_t pairs, std::size_t rounds) {
  const Config config = Config::FromKubeconfigFile(kubeconfig).OrExit();
  Times after_lease;
  Times after_election;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < pairs; ++i) {
    threads.emplace_back([&, i] { RunPair(config, i, rounds, after_lease, after_election); });
  }
  for (std::thread& thread : threads) thread.join();
  after_lease.Print("beyond the Lease's end");
  after_election.Print("beyond the election");
  return 0;
}

}  // namespace
}  // namespace kinformer

int main(int argc, char** argv) {
  std::string kubeconfig;
  std::size_t pairs = 40;
  std::size_t rounds = 5;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--kubeconfig") kubeconfig = argv[i + 1];
    if (name == "--pairs") pairs = std::strtoul(argv[i + 1], nullptr, 10);
    if (name == "--rounds") rounds = std::strtoul(argv[i + 1], nullptr, 10);
  }
  if (kubeconfig.empty() || pairs == 0 || rounds == 0) {
    std::fprintf(stderr, "usage: take_over_bench --kubeconfig FILE [--pairs N] [--rounds N]\n");
    return 2;
  }
  return kinformer::Run(kubeconfig, pairs, rounds);
}
