// apiserver/etcd/etcd.h
//
// Etcd: the calls of etcd that a server needs, without their transport.

#ifndef KINFORMER_APISERVER_ETCD_ETCD_H_
#define KINFORMER_APISERVER_ETCD_ETCD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

namespace kinformer::apiserver {

struct EtcdValue {
  std::string key{};
  std::string value{};
  std::int64_t revision = 0;  // of its last change
  std::int64_t version = 0;   // number of its changes
  bool removed = false;       // in events: at that revision
};

// Reads the keys from `begin` to before `end`; only `begin` if `end` is empty.
struct EtcdRange {
  std::string begin{};
  std::string end{};
  std::int64_t limit = 0;     // 0: none
  std::int64_t revision = 0;  // 0: the latest one
};
struct EtcdPage {
  std::int64_t revision = 0;  // the latest one
  std::vector<EtcdValue> values{};
  bool more = false;
};

// A key, and what it must be.
struct EtcdCondition {
  std::string key{};
  std::int64_t revision = 0;  // of its last change; 0: it must not exist
  // Compares the number of its changes in place of the revision.
  bool by_version = false;
};
struct EtcdChange {
  std::string key{};
  std::string value{};
  bool removes = false;
  std::int64_t lease = 0;  // 0: stays until it is removed
};
// Makes all changes, in one revision, if all conditions hold. A key has at most one change.
struct EtcdTransaction {
  std::vector<EtcdCondition> conditions{};
  std::vector<EtcdChange> changes{};
  // Read if a condition does not hold; empty: nothing.
  std::string otherwise{};
};
struct EtcdOutcome {
  bool made = false;
  std::int64_t revision = 0;  // the latest one
  std::vector<EtcdValue> otherwise{};
};

// Receives all changes of all keys. Called on any thread, never two calls at a time.
class EtcdWatcher {
 public:
  virtual ~EtcdWatcher() = default;
  // Changes in order; those of one revision come together.
  virtual void OnChanges(std::vector<EtcdValue> changes) = 0;
  // The watch is over, after which there are no calls. `compacted`: the changes that were asked for
  // are gone up to before this revision; 0: the watch broke.
  virtual void OnEnd(const Error& why, std::int64_t compacted) = 0;
};

template <class T>
using EtcdDone = std::function<void(Result<T>)>;

// Errors are those of responses: 503 where nothing was changed, 504 where that is not known, 500
// for what etcd refuses; kExpired for a revision that is compacted. Thread-safe. `done` is called
// once, on any thread, possibly before the call returns.
class Etcd {
 public:
  virtual ~Etcd() = default;
  // The loop on which repeated work runs; not that of a server.
  [[nodiscard]] virtual Env& env() = 0;

  virtual void Read(EtcdRange range, EtcdDone<EtcdPage> done) = 0;
  virtual void Commit(EtcdTransaction transaction, EtcdDone<EtcdOutcome> done) = 0;
  virtual void Compact(std::int64_t revision, EtcdDone<void> done) = 0;
  // Makes a lease, extends it, and ends it. KeepAlive returns the seconds left; 0: it has ended.
  virtual void Grant(std::int64_t seconds, EtcdDone<std::int64_t> done) = 0;
  virtual void KeepAlive(std::int64_t lease, EtcdDone<std::int64_t> done) = 0;
  virtual void Revoke(std::int64_t lease, EtcdDone<void> done) = 0;

  // Watches all keys from that revision on. There is one watch at a time: the next one ends the one
  // before, without a call of OnEnd.
  virtual void Watch(std::int64_t from, std::shared_ptr<EtcdWatcher> watcher) = 0;

  // Makes no further calls. Blocks until the one under way has returned.
  virtual void Stop() = 0;
};

// Errors of the calls.
Error EtcdUnavailable(const std::string& why);  // nothing was changed
Error EtcdTimeout(const std::string& why);      // it may have been
Error EtcdSilence(const std::string& why);      // nothing was to be changed
Error EtcdRefusal(const std::string& why);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ETCD_ETCD_H_
