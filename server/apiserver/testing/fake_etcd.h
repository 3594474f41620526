// apiserver/testing/fake_etcd.h
//
// FakeEtcd: an etcd in memory with as many clients as a test has servers, and its faults. Answers
// before each call returns.

#ifndef KINFORMER_APISERVER_TESTING_FAKE_ETCD_H_
#define KINFORMER_APISERVER_TESTING_FAKE_ETCD_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/env.h"

#include "apiserver/etcd/etcd.h"

namespace kinformer::apiserver::testing {

class FakeEtcd {
 public:
  explicit FakeEtcd(Env& env) : env_(env) {}
  FakeEtcd(const FakeEtcd&) = delete;
  FakeEtcd& operator=(const FakeEtcd&) = delete;

  // Returns a client, with a watch of its own.
  std::shared_ptr<Etcd> Connect();

  // ---- What it has.
  [[nodiscard]] std::int64_t revision() const { return revision_; }
  // Revisions up to which it was compacted, one after the other.
  [[nodiscard]] const std::vector<std::int64_t>& compactions() const { return compactions_; }
  [[nodiscard]] const EtcdValue* Find(const std::string& key) const;
  [[nodiscard]] std::vector<std::string> Keys() const;
  // Writes beside the servers.
  void Put(const std::string& key, const std::string& value);
  Result<void> Compact(std::int64_t revision);
  // Ends the leases whose holders are gone, as when their time is over.
  void EndLeases();

  // ---- Faults.
  // Refuses all calls, and breaks the watches.
  void SetDown(bool down);
  void BreakWatches();
  // Keeps what watches are to be told until Release.
  void Hold() { held_ = true; }
  void Release();
  // Called before the next transaction.
  std::function<void()> before_commit{};
  // Makes the next transaction, but loses the answer.
  bool loses_answer = false;
  // The error of the next transaction, which is not made.
  std::optional<Error> refuses{};

 private:
  class Client;

  EtcdOutcome Commit(const EtcdTransaction& transaction);
  // Returns all values at that revision; 0: now.
  [[nodiscard]] std::vector<EtcdValue> At(std::int64_t revision) const;
  void Tell(const std::vector<EtcdValue>& changes);

  Env& env_;
  std::int64_t revision_ = 1;
  std::int64_t compacted_ = 0;
  std::vector<std::int64_t> compactions_{};
  std::map<std::string, EtcdValue> values_{};
  std::map<std::string, std::int64_t> leases_of_{};  // by key
  std::int64_t last_lease_ = 0;
  std::vector<EtcdValue> history_{};
  std::vector<std::weak_ptr<Client>> clients_{};
  bool down_ = false;
  bool held_ = false;
  std::vector<std::vector<EtcdValue>> untold_{};
};

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_TESTING_FAKE_ETCD_H_
