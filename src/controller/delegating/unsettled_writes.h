// controller/delegating/unsettled_writes.h
//
// UnsettledWrites: objects that a client has written, nobody knows in which version: the answer had
// none, and the object could not be read since, or no cache has asked for it.

#ifndef KINFORMER_CONTROLLER_DELEGATING_UNSETTLED_WRITES_H_
#define KINFORMER_CONTROLLER_DELEGATING_UNSETTLED_WRITES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/internal/type_info.h"
#include "kinformer/object_name.h"

#include "base/core/mutex.h"

namespace kinformer::internal::delegating {

// Whether a read that failed with that error may succeed later. What somebody may not read, or
// cannot be decoded, stays so.
[[nodiscard]] bool MayPass(const Error& error);

// Thread-safe.
class UnsettledWrites {
 public:
  // More are not kept: a client that writes so much while its server answers no reads.
  static constexpr std::size_t kMost = 10'000;

  struct Entry {
    const TypeInfo* type = nullptr;  // by which it was written
    ObjectName name{};
    std::uint64_t sequence = 0;
  };

  // False: there are too many.
  [[nodiscard]] bool Add(const TypeInfo& type, const ObjectName& name);
  // Those of the type's group and resource, whatever the version: the one of that name; without a
  // name all of the namespace; without that, too, all.
  [[nodiscard]] std::vector<Entry> Find(const TypeInfo& type, const ObjectName& which) const;
  // Its version is known now, unless it was added anew since it was found.
  void Settled(const Entry& entry);

  [[nodiscard]] std::size_t size() const { return count_.load(std::memory_order_acquire); }

 private:
  using ResourceName = std::pair<std::string_view, std::string_view>;
  using Key = std::pair<ResourceName, ObjectName>;
  static Key KeyOf(const TypeInfo& type, const ObjectName& name) {
    return {{type.group, type.resource}, name};
  }

  mutable base::Mutex mutex_;
  std::map<Key, Entry> entries_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t sequence_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::atomic<std::size_t> count_{0};  // of them; read without the mutex, too
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_UNSETTLED_WRITES_H_
