#include "controller/manager/leadership.h"

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "base/core/user_call.h"

namespace kinformer::internal {
namespace {

// File with the namespace of a pod.
constexpr const char* kOwnNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

std::string OwnNamespace() {
  std::ifstream file(kOwnNamespace);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

class ManagerLeadership::Gate {
 public:
  explicit Gate(Env& env) : monitor_(env.NewMonitor()) {}

  template <class Call>
  void Pass(Call&& call) {
    {
      MonitorLock lock(*monitor_);
      if (closed_) return;
      ++inside_;
    }
    call();
    MonitorLock lock(*monitor_);
    --inside_;
    monitor_->NotifyAll();
  }
  // Waits until no call is inside.
  void Close() {
    MonitorLock lock(*monitor_);
    closed_ = true;
    while (inside_ > 0) lock.Wait();
  }

 private:
  const std::unique_ptr<Monitor> monitor_;
  bool closed_ = false;
  int inside_ = 0;
};

ManagerLeadership::ManagerLeadership(Env& env)
    : env_(env), gate_(std::make_shared<Gate>(env)), monitor_(env.NewMonitor()) {}

Result<std::unique_ptr<ManagerLeadership>> ManagerLeadership::New(Cluster& cluster,
                                                                  const Config* config,
                                                                  const ManagerOptions& options) {
  const bool own_lock = static_cast<bool>(options.leader_election_resource_lock);
  if (options.leader_election_id.empty() && !own_lock) {
    return Error(Reason::kInvalidArgument,
                 "ManagerOptions::leader_election_id must be set: it is the name of the Lease that "
                 "all replicas of this program share");
  }
  LeaseLockOptions lock{.namespace_ = options.leader_election_namespace,
                        .name = options.leader_election_id,
                        .identity = options.leader_election_identity,
                        .labels = options.leader_election_labels};
  if (lock.namespace_.empty()) lock.namespace_ = OwnNamespace();
  if (lock.namespace_.empty() && !own_lock) {
    return Error(Reason::kInvalidArgument,
                 "this process does not run in a pod: ManagerOptions::leader_election_namespace "
                 "must be set");
  }
  if (lock.identity.empty()) lock.identity = NewLeaderIdentity(cluster.env());
  lock.event_recorder = cluster.GetEventRecorderFor(lock.identity);

  std::unique_ptr<ManagerLeadership> made(new ManagerLeadership(cluster.env()));
  ManagerLeadership* const self = made.get();
  LeaderElectionConfig election{
      .lease_duration = options.lease_duration,
      .renew_deadline = options.renew_deadline,
      .retry_period = options.retry_period,
      .release_on_cancel = options.leader_election_release_on_cancel,
      .callbacks = {.on_started_leading =
                        [self, gate = made->gate_](const std::stop_token& stop) {
                          gate->Pass([&] { self->lead_(stop); });
                        },
                    .on_stopped_leading =
                        [self, gate = made->gate_] { gate->Pass([&] { self->on_end_(); }); }},
      .name = options.leader_election_id};
  made->lock_name_ = lock.namespace_ + '/' + lock.name;
  made->identity_ = lock.identity;
  if (config != nullptr && !own_lock && !options.leader_election_client) {
    auto elector =
        LeaderElector::NewForLease(cluster.env(), *config, std::move(lock), std::move(election));
    if (!elector) return std::move(elector).error();
    made->elector_ = *std::move(elector);
    return made;
  }
  auto held = own_lock
                  ? base::CallUserForResult(
                        cluster.env(), "ManagerOptions::leader_election_resource_lock",
                        options.leader_election_resource_lock, [] { return std::string(); })
                  : NewLeaseLock(options.leader_election_client.value_or(cluster.GetRESTClient()),
                                 std::move(lock));
  if (!held) return std::move(held).error();
  if (*held == nullptr) {
    return Error(Reason::kInvalidArgument,
                 "ManagerOptions::leader_election_resource_lock has given nothing");
  }
  made->lock_name_ = (*held)->Describe();
  made->identity_ = (*held)->Identity();
  auto elector = LeaderElector::New(cluster.env(), *std::move(held), std::move(election));
  if (!elector) return std::move(elector).error();
  made->elector_ = *std::move(elector);
  return made;
}

ManagerLeadership::~ManagerLeadership() {
  stop_.request_stop();
  thread_.reset();
  gate_->Close();
}

void ManagerLeadership::Start(std::function<void(const std::stop_token&)> lead,
                              std::function<void()> on_end) {
  lead_ = std::move(lead);
  on_end_ = std::move(on_end);
  {
    const MonitorLock lock(*monitor_);
    running_ = true;
  }
  thread_ = env_.NewThread("leader-election", [this] {
    elector_->Run(stop_.get_token());
    const MonitorLock lock(*monitor_);
    running_ = false;
    monitor_->NotifyAll();
  });
}

bool ManagerLeadership::Stop(SteadyTime deadline) {
  stop_.request_stop();
  MonitorLock lock(*monitor_);
  while (running_ && env_.Now() < deadline) lock.WaitUntil(deadline);
  return !running_;
}

}  // namespace kinformer::internal
