#include "apiserver/etcd/etcd_storage.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {
namespace {

// Time for reading everything.
constexpr Duration kLoading = std::chrono::minutes(2);

std::string WithSlash(std::string prefix) {
  if (!prefix.ends_with('/')) prefix += '/';
  return prefix;
}

// A watch that asks whether changes are still there.
class Probe final : public EtcdWatcher {
 public:
  explicit Probe(std::function<void(Result<std::int64_t>)> done) : done_(std::move(done)) {}

  void OnChanges(std::vector<EtcdValue> /*changes*/) override { Answer(std::int64_t{0}); }
  void OnEnd(const Error& why, std::int64_t compacted) override {
    if (compacted > 0) return Answer(compacted);
    Answer(why);
  }

 private:
  void Answer(Result<std::int64_t> result) {
    if (const auto done = std::exchange(done_, {})) done(std::move(result));
  }

  std::function<void(Result<std::int64_t>)> done_;
};

Result<SharedAnswer> AnswerOf(const Result<EtcdOutcome>& outcome) {
  if (!outcome.ok()) return outcome.error();
  return SharedAnswer{.made = outcome->made, .revision = outcome->revision};
}

}  // namespace

EtcdStorage::EtcdStorage(Env& env, std::shared_ptr<Etcd> etcd, EtcdStorageOptions options)
    : env_(env),
      etcd_(std::move(etcd)),
      options_(std::move(options)),
      feed_(std::make_shared<EtcdFeed>(
          etcd_, WithSlash(options_.prefix), WithSlash(options_.prefix) + "kinformer.io/leader",
          options_.page,
          EtcdFeed::Listener{.news = Waker(), .vacant = [this] { lead_->Vacant(); }})),
      lead_(std::make_shared<EtcdLead>(etcd_, WithSlash(options_.prefix) + "kinformer.io/leader",
                                       Waker())),
      compaction_(std::make_shared<EtcdCompaction>(etcd_, options_.compaction_interval)) {}

EtcdStorage::~EtcdStorage() {
  compaction_->End();
  lead_->End();
  feed_->End();
  etcd_->Stop();
}

std::function<void()> EtcdStorage::Waker() {
  return [&loop = env_.loop(), wake = own_calls_.Guard([this] {
    if (wake_) wake_();
  })] { loop.Post(wake); };
}

template <class T, class Call>
Result<T> EtcdStorage::Await(Call call) const {
  struct Answer {
    explicit Answer(Env& env) : monitor(env.NewMonitor()) {}
    const std::unique_ptr<Monitor> monitor;
    std::optional<Result<T>> result{};
  };
  const auto answer = std::make_shared<Answer>(env_);
  call([answer](Result<T> result) {
    const MonitorLock lock(*answer->monitor);
    answer->result.emplace(std::move(result));
    answer->monitor->NotifyAll();
  });
  const SteadyTime deadline = env_.Now() + options_.patience;
  MonitorLock lock(*answer->monitor);
  while (!answer->result) {
    if (!lock.WaitUntil(deadline) && !answer->result) {
      return EtcdTimeout("no answer in time");
    }
  }
  return *std::move(answer->result);
}

// ---- The beginning

Result<std::shared_ptr<EtcdStorage>> EtcdStorage::Open(Env& env, std::shared_ptr<Etcd> etcd,
                                                       EtcdStorageOptions options) {
  std::shared_ptr<EtcdStorage> storage(new EtcdStorage(env, std::move(etcd), std::move(options)));
  if (Result<void> begun = storage->Begin(); !begun) return begun.error();
  return storage;
}

Result<void> EtcdStorage::Begin() {
  const Result<std::int64_t> oldest = OldestRevision();
  if (!oldest.ok()) return oldest.error();
  Result<SharedBatch> all = feed_->ReadAll(*oldest, kLoading);
  // It may be compacted meanwhile.
  if (!all && all.error().reason() == Reason::kExpired) all = feed_->ReadAll(0, kLoading);
  if (!all) return all.error();
  base_ = *std::move(all);
  opened_at_ = std::max(opened_at_, base_.revision);
  feed_->Begin(base_.revision);
  lead_->Begin();
  compaction_->Begin();
  return {};
}

Result<std::int64_t> EtcdStorage::OldestRevision() {
  const EtcdRange nothing{.begin = WithSlash(options_.prefix)};
  Result<EtcdPage> page =
      Await<EtcdPage>([&](EtcdDone<EtcdPage> done) { etcd_->Read(nothing, std::move(done)); });
  if (!page) return page.error();
  opened_at_ = page->revision;
  // Revision 1 is that of an empty etcd.
  const std::int64_t wanted = std::max<std::int64_t>(1, opened_at_ - options_.history_events);
  if (wanted >= opened_at_) return wanted;
  // Every revision has a change, so there is an answer.
  Result<std::int64_t> compacted = Await<std::int64_t>([&](EtcdDone<std::int64_t> done) {
    etcd_->Watch(wanted + 1, std::make_shared<Probe>(std::move(done)));
  });
  if (!compacted.ok()) return compacted.error();
  return std::max(wanted, *compacted);
}

// ---- Changes

std::optional<SharedBatch> EtcdStorage::Next() { return feed_->Next(); }

bool EtcdStorage::WaitForNext(SteadyTime deadline) { return feed_->Wait(deadline); }

// ---- Writes and questions

EtcdTransaction EtcdStorage::TransactionOf(const SharedWrite& write) const {
  const std::string prefix = WithSlash(options_.prefix);
  EtcdTransaction transaction;
  transaction.conditions.push_back({.key = prefix + write.key, .revision = write.expected});
  transaction.changes.push_back({.key = prefix + write.key,
                                 .value = write.value.value_or(std::string()),
                                 .removes = !write.value.has_value()});
  for (const std::string& claim : write.claims) {
    transaction.conditions.push_back({.key = prefix + claim});
    transaction.changes.push_back({.key = prefix + claim, .value = write.key});
  }
  for (const std::string& released : write.releases) {
    transaction.changes.push_back({.key = prefix + released, .removes = true});
  }
  return transaction;
}

template <class T>
EtcdDone<T> EtcdStorage::OnLoop(std::function<void(Result<T>)> done) {
  return [&loop = env_.loop(), alive = std::weak_ptr<int>(alive_),
          done = std::move(done)](Result<T> result) {
    loop.Post([alive, done, result = std::move(result)]() mutable {
      if (!alive.expired()) done(std::move(result));
    });
  };
}

void EtcdStorage::Write(SharedWrite write, std::function<void(Result<SharedAnswer>)> done) {
  etcd_->Commit(TransactionOf(write),
                OnLoop<EtcdOutcome>([done = std::move(done)](const Result<EtcdOutcome>& outcome) {
                  done(AnswerOf(outcome));
                }));
}

Result<SharedAnswer> EtcdStorage::WriteNow(SharedWrite write) {
  EtcdTransaction transaction = TransactionOf(write);
  return AnswerOf(Await<EtcdOutcome>(
      [&](EtcdDone<EtcdOutcome> done) { etcd_->Commit(std::move(transaction), std::move(done)); }));
}

void EtcdStorage::AskRevision(std::function<void(Result<std::int64_t>)> done) {
  const EtcdRange nothing{.begin = WithSlash(options_.prefix)};
  etcd_->Read(nothing, OnLoop<EtcdPage>([done = std::move(done)](const Result<EtcdPage>& page) {
                if (!page.ok()) return done(page.error());
                done(page->revision);
              }));
}

}  // namespace kinformer::apiserver
