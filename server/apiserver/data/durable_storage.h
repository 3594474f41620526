// apiserver/data/durable_storage.h
//
// DurableStorage: a Storage in a database: one commit for all writes that wait together.

#ifndef KINFORMER_APISERVER_DATA_DURABLE_STORAGE_H_
#define KINFORMER_APISERVER_DATA_DURABLE_STORAGE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kinformer/base/env.h"

#include "apiserver/data/state_database.h"
#include "apiserver/store/storage.h"
#include "base/core/own_calls.h"

namespace kinformer::apiserver {

// While a batch is being committed on the other thread, writes gather for the next one. If the disk
// is full, the batch stays and is tried again every second. `lock` is held until the end.
class DurableStorage final : public Storage {
 public:
  DurableStorage(Env& env, std::unique_ptr<StateDatabase> database, std::optional<KeptState> kept,
                 std::shared_ptr<void> lock);
  ~DurableStorage() override;
  DurableStorage(const DurableStorage&) = delete;
  DurableStorage& operator=(const DurableStorage&) = delete;

  std::optional<KeptState> TakeKept() override { return std::exchange(kept_, std::nullopt); }
  void Describe(KeptResource resource) override;
  void Put(std::uint32_t resource, StoredObjectPtr stored, std::int64_t previous) override;
  void Drop(std::uint32_t resource) override;
  void Clear(std::int64_t floor) override;
  [[nodiscard]] bool written() const override { return written_ == added_; }
  [[nodiscard]] std::shared_ptr<void> WhenWritten(std::function<void(Result<void>)> done) override;
  [[nodiscard]] const Error* refusal() const override { return refusal_ ? &*refusal_ : nullptr; }
  void Close(std::int64_t resource_version) override;

 private:
  // Steps that are committed together. Used by one thread at a time.
  struct Batch {
    std::vector<BatchStep> steps{};
    SteadyTime time{};
    Result<void> result{};
    bool may_retry = false;
    bool done = false;
  };
  struct Waiter {
    std::uint64_t last = 0;  // of the steps it waits for
    std::weak_ptr<int> ticket{};
    std::function<void(Result<void>)> done{};
  };

  void Add(BatchStep step);
  // Begins the next batch, if there is something to write and none is under way.
  void Begin();
  void End();
  // Calls the waiters for steps up to `last`.
  void Tell(std::uint64_t last, const Result<void>& result);

  Env& env_;
  const std::shared_ptr<void> lock_;
  const std::unique_ptr<StateDatabase> database_;
  std::optional<KeptState> kept_;
  std::vector<BatchStep> next_;
  std::shared_ptr<Batch> under_way_{};
  std::uint64_t added_ = 0;    // steps ever
  std::uint64_t written_ = 0;  // steps on the disk
  std::deque<Waiter> waiters_{};
  std::optional<Error> refusal_{};
  Timer retry_{};
  const internal::base::OwnCalls own_calls_{};
  std::unique_ptr<Loop> thread_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DATA_DURABLE_STORAGE_H_
