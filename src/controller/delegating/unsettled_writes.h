// controller/delegating/unsettled_writes.h
//
// UnsettledWrites: objects written by a client whose new version is unknown, because the answer did
// not contain it and the object could not be read since, or no cache existed then.

#ifndef KINFORMER_CONTROLLER_DELEGATING_UNSETTLED_WRITES_H_
#define KINFORMER_CONTROLLER_DELEGATING_UNSETTLED_WRITES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

#include "base/core/mutex.h"

namespace kinformer::internal::delegating {

// Whether a read that failed with this error may succeed later. Errors such as a forbidden read or
// an object that cannot be decoded are permanent.
[[nodiscard]] bool MayPass(const Error& error);

// Thread-safe.
class UnsettledWrites {
 public:
  // Maximum number of entries; reached by many writes while the server answers no reads.
  static constexpr std::size_t kMost = 10'000;

  struct Entry {
    const KindInfo* type = nullptr;  // type used for the write
    ObjectName name{};
    std::uint64_t sequence = 0;
  };

  // Returns false if there are too many entries.
  [[nodiscard]] bool Add(const KindInfo& type, const ObjectName& name);
  // Returns the entries of the type's group and resource, in any version: the one with that name;
  // without a name, all of the namespace; without a namespace, all.
  [[nodiscard]] std::vector<Entry> Find(const KindInfo& type, const ObjectName& which) const;
  // Removes the entry, whose version is now known, unless it was added again after Find.
  void Settled(const Entry& entry);

  [[nodiscard]] std::size_t size() const { return count_.load(std::memory_order_acquire); }

 private:
  using ResourceName = std::pair<std::string_view, std::string_view>;
  using Key = std::pair<ResourceName, ObjectName>;
  static Key KeyOf(const KindInfo& type, const ObjectName& name) {
    return {{type.group, type.resource}, name};
  }

  mutable base::Mutex mutex_;
  std::map<Key, Entry> entries_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t sequence_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::atomic<std::size_t> count_{0};  // number of entries; also read without the mutex
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_UNSETTLED_WRITES_H_
