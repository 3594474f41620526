// apiserver/etcd/etcd_storage.h
//
// EtcdStorage: a SharedStorage in etcd: its changes arrive by one watch of all keys, so every
// revision is heard of, and the last one heard of is that of all that is known.

#ifndef KINFORMER_APISERVER_ETCD_ETCD_STORAGE_H_
#define KINFORMER_APISERVER_ETCD_ETCD_STORAGE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

#include "apiserver/etcd/etcd.h"
#include "apiserver/etcd/etcd_feed.h"
#include "apiserver/etcd/etcd_lead.h"
#include "apiserver/store/shared_storage.h"
#include "base/core/own_calls.h"

namespace kinformer::apiserver {

struct EtcdStorageOptions {
  std::string prefix{"/registry"};
  Duration compaction_interval = std::chrono::minutes(5);  // 0: never
  Duration patience = std::chrono::seconds(5);             // with each answer
  std::int64_t history_events = 100'000;  // changes before the start that are read again
  std::int64_t page = 500;                // objects of a read
};

class EtcdStorage final : public SharedStorage {
 public:
  // Reads all objects. Blocks; not for the loop. `env`: that of the server.
  static Result<std::shared_ptr<EtcdStorage>> Open(Env& env, std::shared_ptr<Etcd> etcd,
                                                   EtcdStorageOptions options);
  ~EtcdStorage() override;
  EtcdStorage(const EtcdStorage&) = delete;
  EtcdStorage& operator=(const EtcdStorage&) = delete;

  SharedBatch TakeBase() override { return std::move(base_); }
  [[nodiscard]] std::int64_t opened_at() const override { return opened_at_; }
  void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }
  std::optional<SharedBatch> Next() override;
  bool WaitForNext(SteadyTime deadline) override;
  void Write(SharedWrite write, std::function<void(Result<SharedAnswer>)> done) override;
  Result<SharedAnswer> WriteNow(SharedWrite write) override;
  void AskRevision(std::function<void(Result<std::int64_t>)> done) override;
  [[nodiscard]] Duration patience() const override { return options_.patience; }
  [[nodiscard]] bool leads() const override { return lead_->leads(); }

 private:
  EtcdStorage(Env& env, std::shared_ptr<Etcd> etcd, EtcdStorageOptions options);
  Result<void> Begin();
  [[nodiscard]] EtcdTransaction TransactionOf(const SharedWrite& write) const;
  // Returns a function that wakes the server, on any thread.
  std::function<void()> Waker();
  // Returns the latest revision from which all changes can still be told, with as many as are asked
  // for.
  Result<std::int64_t> OldestRevision();
  // Calls `done` with the result on the server's loop.
  template <class T>
  EtcdDone<T> OnLoop(std::function<void(Result<T>)> done);
  // Makes a call and waits for its result.
  template <class T, class Call>
  Result<T> Await(Call call) const;

  Env& env_;
  const std::shared_ptr<Etcd> etcd_;
  const EtcdStorageOptions options_;
  SharedBatch base_{};
  std::int64_t opened_at_ = 0;
  std::function<void()> wake_{};
  const internal::base::OwnCalls own_calls_{};
  const std::shared_ptr<int> alive_ = std::make_shared<int>(0);
  const std::shared_ptr<EtcdFeed> feed_;
  const std::shared_ptr<EtcdLead> lead_;
  const std::shared_ptr<EtcdCompaction> compaction_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ETCD_ETCD_STORAGE_H_
