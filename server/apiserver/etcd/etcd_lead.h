// apiserver/etcd/etcd_lead.h
//
// EtcdLead: elects the one of several servers that does what one has to do; EtcdCompaction: removes
// old revisions, which one of them does.

#ifndef KINFORMER_APISERVER_ETCD_ETCD_LEAD_H_
#define KINFORMER_APISERVER_ETCD_ETCD_LEAD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kinformer/base/env.h"

#include "apiserver/etcd/etcd.h"

namespace kinformer::apiserver {

// The leader has a key with a lease, which it extends. Another server leads when the lease has
// ended. Runs on etcd's loop. Thread-safe.
class EtcdLead : public std::enable_shared_from_this<EtcdLead> {
 public:
  // `changed` is called on any thread when leads() may be another.
  EtcdLead(std::shared_ptr<Etcd> etcd, std::string key, std::function<void()> changed);

  void Begin();
  // The leader has gone.
  void Vacant();
  [[nodiscard]] bool leads() const;
  // Lets another server lead, and makes no more calls. Blocks for at most a second.
  void End();

 private:
  void Tick();
  void Next();
  void Granted(const Result<std::int64_t>& lease);
  void Kept(const Result<std::int64_t>& left);
  void Campaign();
  void SetLeads(bool leads);

  const std::shared_ptr<Etcd> etcd_;
  const std::string key_;
  const std::function<void()> changed_;
  const std::unique_ptr<Monitor> monitor_;
  std::int64_t lease_ = 0;
  SteadyTime sure_until_{};  // the lease lasts at least so long
  bool leads_ = false;
  bool ended_ = false;
  Timer timer_{};
};

// Every interval, one of the servers removes the revisions before the one that was the latest an
// interval ago. kube-apiserver takes part in the same agreement, by the key compact_rev_key.
class EtcdCompaction : public std::enable_shared_from_this<EtcdCompaction> {
 public:
  EtcdCompaction(std::shared_ptr<Etcd> etcd, Duration interval);

  void Begin();
  void End();

 private:
  void Wait();
  void Round();
  void Compared(const Result<EtcdOutcome>& outcome);

  const std::shared_ptr<Etcd> etcd_;
  const Duration interval_;
  const std::unique_ptr<Monitor> monitor_;
  std::int64_t round_ = 0;     // number of changes of the key
  std::int64_t revision_ = 0;  // the latest one at the last round
  bool ended_ = false;
  Timer timer_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ETCD_ETCD_LEAD_H_
