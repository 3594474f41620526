// controller/delegating/writes_under_way.h
//
// WritesUnderWay: the writes of a client that are sent, and whose answers have not been recorded
// yet. A reconcile's read waits for those of other workers.

#ifndef KINFORMER_CONTROLLER_DELEGATING_WRITES_UNDER_WAY_H_
#define KINFORMER_CONTROLLER_DELEGATING_WRITES_UNDER_WAY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

#include "base/core/mutex.h"
#include "base/loop/signal.h"
#include "controller/delegating/unseen_writes.h"

namespace kinformer::internal::delegating {

// Thread-safe. A write never waits for another one or for a read, so nothing waits for itself.
class WritesUnderWay : public std::enable_shared_from_this<WritesUnderWay> {
 public:
  explicit WritesUnderWay(Env& env) : env_(env) {}

  using ResourceName = std::pair<std::string, std::string>;
  static ResourceName NameOf(const KindInfo& type) {
    return {std::string(type.group), std::string(type.resource)};
  }

  enum class What : std::uint8_t { kOne, kMany };
  // Notes a write that is about to be sent, until the result is destroyed. kOne: of that object; an
  // object that has no name yet is one of its namespace. kMany: of objects of the namespace.
  [[nodiscard]] std::shared_ptr<void> Begin(const KindInfo& type, const ObjectName& name,
                                            What what);

  // Returns whether a read of `which` concerns a write. `which`: see UnseenWrites.
  [[nodiscard]] bool Concern(const KindInfo& type, const ObjectName& which) const;
  // Awaits the answers of the writes that are under way now and concern `which`. kStale: the
  // deadline passed. kCanceled.
  [[nodiscard]] static Task<Result<void>> AnsweredTask(std::shared_ptr<WritesUnderWay> self,
                                                       ResourceName resource, ObjectName which,
                                                       ReadPatience patience);

 private:
  struct Write {
    ResourceName resource;
    ObjectName name;
    What what;
  };

  [[nodiscard]] static bool Concerns(const Write& write, const ResourceName& resource,
                                     const ObjectName& which);
  // Returns a write of `which` that is one of the first `newest`.
  [[nodiscard]] std::optional<Write> Find(const ResourceName& resource, const ObjectName& which,
                                          std::uint64_t newest) const;
  void End(std::uint64_t number);

  Env& env_;
  mutable base::Mutex mutex_;
  std::map<std::uint64_t, Write> writes_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t last_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::list<std::shared_ptr<base::Signal>> waiting_ KINFORMER_GUARDED_BY(mutex_);
  std::atomic<std::size_t> count_{0};  // of writes_; also read without the mutex
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_WRITES_UNDER_WAY_H_
