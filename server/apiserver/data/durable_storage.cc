#include "apiserver/data/durable_storage.h"

#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "kinformer/base/log.h"

namespace kinformer::apiserver {
namespace {

constexpr Duration kRetry = std::chrono::seconds(1);

}  // namespace

DurableStorage::DurableStorage(Env& env, std::unique_ptr<StateDatabase> database,
                               std::optional<KeptState> kept, std::shared_ptr<void> lock)
    : env_(env),
      lock_(std::move(lock)),
      database_(std::move(database)),
      kept_(std::move(kept)),
      thread_(env.NewLoop("storage")) {}

DurableStorage::~DurableStorage() {
  thread_.reset();  // waits for the batch under way
}

void DurableStorage::Describe(KeptResource resource) {
  Add(DescribeResource{.resource = std::move(resource)});
}

void DurableStorage::Put(std::uint32_t resource, StoredObjectPtr stored, std::int64_t previous) {
  Add(PutVersion{
      .resource = resource, .stored = std::move(stored), .previous = previous, .time = env_.Now()});
}

void DurableStorage::Drop(std::uint32_t resource) { Add(DropResource{.resource = resource}); }

void DurableStorage::Clear(std::int64_t floor) { Add(ClearVersions{.floor = floor}); }

void DurableStorage::Add(BatchStep step) {
  next_.push_back(std::move(step));
  ++added_;
  if (!refusal_) Begin();
}

void DurableStorage::Begin() {
  if (under_way_ != nullptr || next_.empty() || thread_ == nullptr) return;
  under_way_ = std::make_shared<Batch>(Batch{.steps = std::move(next_), .time = env_.Now()});
  next_ = {};
  thread_->env().loop().Post([this, batch = under_way_, &loop = env_.loop(),
                              end = own_calls_.Guard([this] { End(); })]() mutable {
    batch->result = database_->Write(batch->steps, batch->time);
    batch->may_retry = !batch->result && database_->MayRetry();
    batch->done = true;
    loop.Post(std::move(end));
  });
}

void DurableStorage::End() {
  if (under_way_ == nullptr) return;
  const std::shared_ptr<Batch> batch = std::exchange(under_way_, nullptr);
  if (batch->result) {
    written_ += batch->steps.size();
    if (std::exchange(refusal_, std::nullopt)) {
      env_.log().Log(LogLevel::kInfo, "writes go on: the disk takes them again", {});
    }
    Begin();
    Tell(written_, {});
    return;
  }
  if (!refusal_) {
    env_.log().Log(LogLevel::kError, "writes are refused: the disk takes none",
                   {{"error", batch->result.error().message()}});
  }
  refusal_ = batch->result.error();
  batch->steps.insert(batch->steps.end(), std::make_move_iterator(next_.begin()),
                      std::make_move_iterator(next_.end()));
  next_ = std::move(batch->steps);
  if (batch->may_retry) {
    retry_ = env_.loop().RunAt(env_.Now() + kRetry, own_calls_.Guard([this] { Begin(); }));
  }
  Tell(added_, *refusal_);
}

void DurableStorage::Tell(std::uint64_t last, const Result<void>& result) {
  std::deque<Waiter> told;
  while (!waiters_.empty() && waiters_.front().last <= last) {
    told.push_back(std::move(waiters_.front()));
    waiters_.pop_front();
  }
  for (const Waiter& waiter : told) {
    // One of them may destroy the ticket of another.
    if (!waiter.ticket.expired()) waiter.done(result);
  }
}

std::shared_ptr<void> DurableStorage::WhenWritten(std::function<void(Result<void>)> done) {
  auto ticket = std::make_shared<int>(0);
  if (written() || refusal_) {
    done(refusal_ && !written() ? Result<void>(*refusal_) : Result<void>());
    return ticket;
  }
  waiters_.push_back({.last = added_, .ticket = ticket, .done = std::move(done)});
  return ticket;
}

void DurableStorage::Close(std::int64_t resource_version) {
  if (thread_ == nullptr) return;
  thread_.reset();
  std::vector<BatchStep> rest;
  if (under_way_ != nullptr && !(under_way_->done && under_way_->result)) {
    rest = std::move(under_way_->steps);
  }
  under_way_ = nullptr;
  rest.insert(rest.end(), std::make_move_iterator(next_.begin()),
              std::make_move_iterator(next_.end()));
  next_.clear();
  rest.emplace_back(EndVersions{.resource_version = resource_version});
  if (const Result<void> ended = database_->Write(rest, env_.Now()); !ended) {
    env_.log().Log(
        LogLevel::kError, "the last writes are not on the disk",
        {{"error", ended.error().message()}, {"writes", std::to_string(rest.size() - 1)}});
  }
}

}  // namespace kinformer::apiserver
