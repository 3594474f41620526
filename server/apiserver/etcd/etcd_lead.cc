#include "apiserver/etcd/etcd_lead.h"

#include <chrono>
#include <utility>

namespace kinformer::apiserver {
namespace {

constexpr std::int64_t kLeaseSeconds = 10;
constexpr Duration kTick = std::chrono::seconds(3);
constexpr Duration kFarewell = std::chrono::seconds(1);
constexpr std::string_view kCompactionKey = "compact_rev_key";

}  // namespace

EtcdLead::EtcdLead(std::shared_ptr<Etcd> etcd, std::string key, std::function<void()> changed)
    : etcd_(std::move(etcd)),
      key_(std::move(key)),
      changed_(std::move(changed)),
      monitor_(etcd_->env().NewMonitor()) {}

void EtcdLead::Begin() { Tick(); }

void EtcdLead::Vacant() {
  {
    const MonitorLock lock(*monitor_);
    if (ended_ || leads_ || lease_ == 0) return;
  }
  Campaign();
}

bool EtcdLead::leads() const {
  const MonitorLock lock(*monitor_);
  return leads_;
}

void EtcdLead::End() {
  std::int64_t lease = 0;
  {
    const MonitorLock lock(*monitor_);
    ended_ = true;
    lease = std::exchange(lease_, 0);
    leads_ = false;
    timer_ = Timer();
  }
  if (lease == 0) return;
  const auto answered = std::make_shared<bool>(false);
  etcd_->Revoke(lease, [self = shared_from_this(), answered](const Result<void>&) {
    const MonitorLock lock(*self->monitor_);
    *answered = true;
    self->monitor_->NotifyAll();
  });
  const SteadyTime deadline = etcd_->env().Now() + kFarewell;
  const MonitorLock lock(*monitor_);
  while (!*answered && monitor_->WaitUntil(deadline)) {
  }
}

void EtcdLead::Tick() {
  std::int64_t lease = 0;
  {
    const MonitorLock lock(*monitor_);
    if (ended_) return;
    lease = lease_;
  }
  if (lease == 0) {
    etcd_->Grant(kLeaseSeconds, [self = shared_from_this()](const Result<std::int64_t>& granted) {
      self->Granted(granted);
    });
  } else {
    etcd_->KeepAlive(
        lease, [self = shared_from_this()](const Result<std::int64_t>& left) { self->Kept(left); });
  }
}

void EtcdLead::Next() {
  const MonitorLock lock(*monitor_);
  if (ended_) return;
  Env& env = etcd_->env();
  timer_ = env.loop().RunAt(env.Now() + kTick, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Tick();
  });
}

void EtcdLead::Granted(const Result<std::int64_t>& lease) {
  if (lease.ok()) {
    {
      const MonitorLock lock(*monitor_);
      lease_ = *lease;
      sure_until_ = etcd_->env().Now() + std::chrono::seconds(kLeaseSeconds) - kTick;
    }
    Campaign();
  }
  Next();
}

void EtcdLead::Kept(const Result<std::int64_t>& left) {
  bool lost = false;
  bool campaigns = false;
  const SteadyTime now = etcd_->env().Now();
  {
    const MonitorLock lock(*monitor_);
    if (left.ok() && *left > 0) {
      sure_until_ = now + std::chrono::seconds(*left) - kTick;
      campaigns = !leads_;
    } else if (left.ok() || now >= sure_until_) {
      lost = true;
      lease_ = 0;
    }
  }
  if (lost) SetLeads(false);
  if (campaigns) Campaign();
  Next();
}

void EtcdLead::Campaign() {
  EtcdTransaction transaction;
  {
    const MonitorLock lock(*monitor_);
    if (ended_ || lease_ == 0) return;
    transaction.conditions.push_back({.key = key_});
    transaction.changes.push_back({.key = key_, .value = std::to_string(lease_), .lease = lease_});
  }
  etcd_->Commit(std::move(transaction),
                [self = shared_from_this()](const Result<EtcdOutcome>& outcome) {
                  if (outcome.ok() && outcome->made) self->SetLeads(true);
                });
}

void EtcdLead::SetLeads(bool leads) {
  {
    const MonitorLock lock(*monitor_);
    if (ended_ || leads_ == leads) return;
    leads_ = leads;
  }
  changed_();
}

EtcdCompaction::EtcdCompaction(std::shared_ptr<Etcd> etcd, Duration interval)
    : etcd_(std::move(etcd)), interval_(interval), monitor_(etcd_->env().NewMonitor()) {}

void EtcdCompaction::Begin() {
  if (interval_ > Duration::zero()) Wait();
}

void EtcdCompaction::End() {
  const MonitorLock lock(*monitor_);
  ended_ = true;
  timer_ = Timer();
}

void EtcdCompaction::Wait() {
  const MonitorLock lock(*monitor_);
  if (ended_) return;
  Env& env = etcd_->env();
  timer_ = env.loop().RunAt(env.Now() + interval_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Round();
  });
}

void EtcdCompaction::Round() {
  const std::string key(kCompactionKey);
  EtcdTransaction transaction{.otherwise = key};
  {
    const MonitorLock lock(*monitor_);
    transaction.conditions.push_back({.key = key, .revision = round_, .by_version = true});
    transaction.changes.push_back({.key = key, .value = std::to_string(revision_)});
  }
  etcd_->Commit(std::move(transaction),
                [self = shared_from_this()](const Result<EtcdOutcome>& outcome) {
                  self->Compared(outcome);
                  self->Wait();
                });
}

void EtcdCompaction::Compared(const Result<EtcdOutcome>& outcome) {
  if (!outcome.ok()) return;
  std::int64_t compacts = 0;
  {
    const MonitorLock lock(*monitor_);
    if (outcome->made) {
      ++round_;
      compacts = revision_;
    } else if (!outcome->otherwise.empty()) {
      round_ = outcome->otherwise.front().version;
    }
    revision_ = outcome->revision;
  }
  // Another server may have been faster, which is an error of no interest.
  if (compacts > 0) etcd_->Compact(compacts, [](const Result<void>&) {});
}

}  // namespace kinformer::apiserver
