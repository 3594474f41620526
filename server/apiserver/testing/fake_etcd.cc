#include "apiserver/testing/fake_etcd.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver::testing {

class FakeEtcd::Client final : public Etcd {
 public:
  explicit Client(FakeEtcd& etcd) : etcd_(etcd) {}

  Env& env() override { return etcd_.env_; }

  void Read(EtcdRange range, EtcdDone<EtcdPage> done) override {
    if (etcd_.down_) return done(EtcdUnavailable("connection refused"));
    if (range.revision != 0 && range.revision < etcd_.compacted_) {
      return done(Error(Reason::kExpired, "compacted").WithHttpStatus(410));
    }
    EtcdPage page{.revision = etcd_.revision_};
    for (const EtcdValue& value : etcd_.At(range.revision)) {
      const bool inside = range.end.empty() ? value.key == range.begin
                                            : value.key >= range.begin && value.key < range.end;
      if (!inside) continue;
      page.more = range.limit > 0 && static_cast<std::int64_t>(page.values.size()) == range.limit;
      if (page.more) break;
      page.values.push_back(value);
    }
    done(std::move(page));
  }

  void Commit(EtcdTransaction transaction, EtcdDone<EtcdOutcome> done) override {
    if (const auto before = std::exchange(etcd_.before_commit, {})) before();
    if (etcd_.down_) return done(EtcdUnavailable("connection refused"));
    if (const auto refused = std::exchange(etcd_.refuses, {})) return done(*refused);
    EtcdOutcome outcome = etcd_.Commit(transaction);
    if (std::exchange(etcd_.loses_answer, false)) return done(EtcdTimeout("no answer"));
    done(std::move(outcome));
  }

  void Compact(std::int64_t revision, EtcdDone<void> done) override {
    done(etcd_.Compact(revision));
  }
  void Grant(std::int64_t /*seconds*/, EtcdDone<std::int64_t> done) override {
    if (etcd_.down_) return done(EtcdUnavailable("connection refused"));
    lease_ = ++etcd_.last_lease_;
    done(lease_);
  }
  void KeepAlive(std::int64_t lease, EtcdDone<std::int64_t> done) override {
    if (etcd_.down_) return done(EtcdUnavailable("connection refused"));
    done(lease == lease_ ? std::int64_t{10} : std::int64_t{0});
  }
  void Revoke(std::int64_t lease, EtcdDone<void> done) override {
    if (etcd_.down_) return done(EtcdUnavailable("connection refused"));
    if (lease == lease_) lease_ = 0;
    etcd_.EndLeases();
    done({});
  }

  void Watch(std::int64_t from, std::shared_ptr<EtcdWatcher> watcher) override {
    watcher_ = std::move(watcher);
    const auto told = watcher_;
    if (etcd_.down_) return Break();
    if (from < etcd_.compacted_) {
      watcher_ = nullptr;
      return told->OnEnd(EtcdUnavailable("compacted"), etcd_.compacted_);
    }
    std::vector<EtcdValue> changes;
    for (const EtcdValue& change : etcd_.history_) {
      if (change.revision >= from) changes.push_back(change);
    }
    if (!changes.empty()) told->OnChanges(std::move(changes));
  }
  void Stop() override { watcher_ = nullptr; }

  void Break() {
    if (const auto watcher = std::exchange(watcher_, nullptr)) {
      watcher->OnEnd(EtcdUnavailable("the connection broke"), 0);
    }
  }
  void Tell(const std::vector<EtcdValue>& changes) {
    if (const auto watcher = watcher_) watcher->OnChanges(changes);
  }
  [[nodiscard]] bool Has(std::int64_t lease) const { return lease == lease_; }

 private:
  FakeEtcd& etcd_;
  std::int64_t lease_ = 0;
  std::shared_ptr<EtcdWatcher> watcher_{};
};

std::shared_ptr<Etcd> FakeEtcd::Connect() {
  auto client = std::make_shared<Client>(*this);
  clients_.push_back(client);
  return client;
}

std::vector<EtcdValue> FakeEtcd::At(std::int64_t revision) const {
  std::map<std::string, EtcdValue> then;
  for (const EtcdValue& change : history_) {
    if (revision != 0 && change.revision > revision) break;
    if (change.removed) {
      then.erase(change.key);
    } else {
      then[change.key] = change;
    }
  }
  std::vector<EtcdValue> out;
  for (auto& [key, value] : then) out.push_back(std::move(value));
  return out;
}

const EtcdValue* FakeEtcd::Find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::vector<std::string> FakeEtcd::Keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : values_) keys.push_back(key);
  return keys;
}

void FakeEtcd::Put(const std::string& key, const std::string& value) {
  (void)Commit({.changes = {{.key = key, .value = value}}});
}

Result<void> FakeEtcd::Compact(std::int64_t revision) {
  if (revision <= compacted_ || revision > revision_) return EtcdRefusal("compacted");
  compacted_ = revision;
  compactions_.push_back(revision);
  return {};
}

void FakeEtcd::EndLeases() {
  EtcdTransaction removal;
  for (const auto& [key, lease] : leases_of_) {
    const bool held = std::any_of(clients_.begin(), clients_.end(), [&](const auto& weak) {
      const auto client = weak.lock();
      return client != nullptr && client->Has(lease);
    });
    if (!held) removal.changes.push_back({.key = key, .removes = true});
  }
  if (!removal.changes.empty()) (void)Commit(removal);
}

void FakeEtcd::SetDown(bool down) {
  down_ = down;
  if (down) BreakWatches();
}

void FakeEtcd::BreakWatches() {
  for (const auto& weak : clients_) {
    if (const auto client = weak.lock()) client->Break();
  }
}

void FakeEtcd::Release() {
  held_ = false;
  for (const auto& changes : std::exchange(untold_, {})) Tell(changes);
}

EtcdOutcome FakeEtcd::Commit(const EtcdTransaction& transaction) {
  const auto holds = [this](const EtcdCondition& condition) {
    const EtcdValue* const value = Find(condition.key);
    if (condition.by_version) return (value == nullptr ? 0 : value->version) == condition.revision;
    return (value == nullptr ? 0 : value->revision) == condition.revision;
  };
  const bool made =
      std::all_of(transaction.conditions.begin(), transaction.conditions.end(), holds);
  EtcdOutcome outcome{.made = made, .revision = revision_};
  if (!made) {
    if (const EtcdValue* const value = Find(transaction.otherwise)) {
      outcome.otherwise.push_back(*value);
    }
    return outcome;
  }
  std::vector<EtcdValue> changes;
  for (const EtcdChange& change : transaction.changes) {
    const EtcdValue* const before = Find(change.key);
    if (change.removes && before == nullptr) continue;
    EtcdValue after{.key = change.key,
                    .value = change.value,
                    .revision = revision_ + 1,
                    .version = before == nullptr ? 1 : before->version + 1,
                    .removed = change.removes};
    leases_of_.erase(change.key);
    if (change.removes) {
      values_.erase(change.key);
    } else {
      values_[change.key] = after;
      if (change.lease != 0) leases_of_[change.key] = change.lease;
    }
    changes.push_back(std::move(after));
  }
  if (changes.empty()) return outcome;
  outcome.revision = ++revision_;
  history_.insert(history_.end(), changes.begin(), changes.end());
  if (held_) {
    untold_.push_back(std::move(changes));
  } else {
    Tell(changes);
  }
  return outcome;
}

void FakeEtcd::Tell(const std::vector<EtcdValue>& changes) {
  for (const auto& weak : clients_) {
    if (const auto client = weak.lock()) client->Tell(changes);
  }
}

}  // namespace kinformer::apiserver::testing
