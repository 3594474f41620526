#include "apiserver/etcd/etcd_feed.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kinformer/base/log.h"

namespace kinformer::apiserver {
namespace {

constexpr Duration kFirstDelay = std::chrono::milliseconds(20);
constexpr Duration kMostDelay = std::chrono::seconds(2);

// Returns the first key after all that begin with `prefix`, which ends with a slash.
std::string EndOf(std::string prefix) {
  prefix.back() = '0';
  return prefix;
}

}  // namespace

EtcdFeed::EtcdFeed(std::shared_ptr<Etcd> etcd, std::string prefix, std::string lead_key,
                   std::int64_t page, Listener listener)
    : etcd_(std::move(etcd)),
      prefix_(std::move(prefix)),
      lead_key_(std::move(lead_key)),
      page_(page),
      listener_(std::move(listener)),
      monitor_(etcd_->env().NewMonitor()) {}

// ---- Reads

std::optional<SharedEntry> EtcdFeed::EntryOf(EtcdValue value) const {
  if (!value.key.starts_with(prefix_)) return std::nullopt;
  return SharedEntry{.key = value.key.substr(prefix_.size()),
                     .value = std::move(value.value),
                     .revision = value.revision,
                     .removed = value.removed};
}

void EtcdFeed::ReadPage(std::string begin, const Pages& pages,
                        std::function<void(Result<SharedBatch>)> done) {
  // Pages after the first one show the same revision.
  EtcdRange range{.begin = std::move(begin),
                  .end = EndOf(prefix_),
                  .limit = page_,
                  .revision = pages->revision};
  const auto read = [self = shared_from_this(), pages,
                     done = std::move(done)](Result<EtcdPage> page) {
    if (!page) return done(page.error());
    if (pages->revision == 0) pages->revision = page->revision;
    std::string next;
    if (page->more && !page->values.empty()) next = page->values.back().key + '\0';
    for (EtcdValue& value : page->values) {
      if (auto entry = self->EntryOf(std::move(value))) pages->entries.push_back(*std::move(entry));
    }
    if (next.empty()) return done(std::move(*pages));
    self->ReadPage(std::move(next), pages, done);
  };
  etcd_->Read(std::move(range), read);
}

Result<SharedBatch> EtcdFeed::ReadAll(std::int64_t revision, Duration patience) {
  struct Answer {
    std::optional<Result<SharedBatch>> result{};
  };
  const auto answer = std::make_shared<Answer>();
  const auto pages =
      std::make_shared<SharedBatch>(SharedBatch{.revision = revision, .replaces = true});
  ReadPage(prefix_, pages, [self = shared_from_this(), answer](Result<SharedBatch> result) {
    const MonitorLock lock(*self->monitor_);
    answer->result.emplace(std::move(result));
    self->monitor_->NotifyAll();
  });
  const SteadyTime deadline = etcd_->env().Now() + patience;
  const MonitorLock lock(*monitor_);
  while (!answer->result) {
    if (!monitor_->WaitUntil(deadline) && !answer->result) {
      return EtcdSilence("the objects could not be read in time");
    }
  }
  return *std::move(answer->result);
}

// ---- The watch

void EtcdFeed::Begin(std::int64_t revision) {
  {
    const MonitorLock lock(*monitor_);
    revision_ = revision;
  }
  Watch();
}

void EtcdFeed::Watch() {
  std::int64_t from = 0;
  {
    const MonitorLock lock(*monitor_);
    if (ended_) return;
    from = revision_ + 1;
  }
  etcd_->Watch(from, shared_from_this());
}

bool EtcdFeed::Queue(SharedBatch batch) {
  revision_ = batch.revision;
  const bool first = queue_.empty();
  queue_.push_back(std::move(batch));
  monitor_->NotifyAll();
  return first;
}

void EtcdFeed::OnChanges(std::vector<EtcdValue> changes) {
  bool news = false;
  bool vacant = false;
  bool back = false;
  {
    const MonitorLock lock(*monitor_);
    if (ended_) return;
    delay_ = Duration::zero();
    back = std::exchange(troubled_, false);
    for (auto at = changes.begin(); at != changes.end();) {
      SharedBatch batch{.revision = at->revision};
      for (; at != changes.end() && at->revision == batch.revision; ++at) {
        vacant = vacant || (at->removed && at->key == lead_key_);
        if (auto entry = EntryOf(std::move(*at))) batch.entries.push_back(*std::move(entry));
      }
      // A watch that was begun again tells nothing twice.
      if (batch.revision > revision_) news = Queue(std::move(batch)) || news;
    }
  }
  if (back) etcd_->env().log().Log(LogLevel::kInfo, "the watch of etcd goes on", {});
  if (news) listener_.news();
  if (vacant) listener_.vacant();
}

void EtcdFeed::OnEnd(const Error& why, std::int64_t compacted) {
  bool first = false;
  {
    const MonitorLock lock(*monitor_);
    if (ended_) return;
    if (compacted > revision_ + 1) resyncs_ = true;
    first = !std::exchange(troubled_, true);
  }
  // It is begun again until that works, which need not be said each time.
  if (first) {
    etcd_->env().log().Log(LogLevel::kWarning, "the watch of etcd has ended, and is begun again",
                           {{"error", std::string(why.message())}});
  }
  WatchLater();
}

void EtcdFeed::WatchLater() {
  const MonitorLock lock(*monitor_);
  if (ended_) return;
  Env& env = etcd_->env();
  const Duration delay = delay_;
  delay_ = std::clamp(delay_ * 2, kFirstDelay, kMostDelay);
  timer_ = env.loop().RunAt(env.Now() + delay, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    bool resyncs = false;
    {
      const MonitorLock locked(*self->monitor_);
      resyncs = self->resyncs_;
    }
    if (resyncs) {
      self->Resync();
    } else {
      self->Watch();
    }
  });
}

void EtcdFeed::Resync() {
  ReadPage(prefix_, std::make_shared<SharedBatch>(SharedBatch{.replaces = true}),
           [self = shared_from_this()](Result<SharedBatch> all) {
             if (!all) return self->WatchLater();
             {
               const MonitorLock lock(*self->monitor_);
               if (self->ended_) return;
               self->resyncs_ = false;
               // Changes that were not taken are part of it.
               self->queue_.clear();
               (void)self->Queue(*std::move(all));
             }
             self->listener_.news();
             self->Watch();
           });
}

// ---- The queue

std::optional<SharedBatch> EtcdFeed::Next() {
  const MonitorLock lock(*monitor_);
  if (queue_.empty()) return std::nullopt;
  SharedBatch batch = std::move(queue_.front());
  queue_.pop_front();
  return batch;
}

bool EtcdFeed::Wait(SteadyTime deadline) {
  const MonitorLock lock(*monitor_);
  while (queue_.empty()) {
    if (!monitor_->WaitUntil(deadline)) return !queue_.empty();
  }
  return true;
}

void EtcdFeed::End() {
  const MonitorLock lock(*monitor_);
  ended_ = true;
  timer_ = Timer();
}

}  // namespace kinformer::apiserver
