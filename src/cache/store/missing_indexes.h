// cache/store/missing_indexes.h
//
// MissingIndexes: logs which indexes of a store are requested and do not exist. A range over such
// an index is empty, and its error is easily overlooked.

#ifndef KINFORMER_CACHE_STORE_MISSING_INDEXES_H_
#define KINFORMER_CACHE_STORE_MISSING_INDEXES_H_

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"

#include "base/core/mutex.h"

namespace kinformer::internal::cache {

// Logs each name once, and at most kMost names, as a program may make them up. Thread-safe.
class MissingIndexes {
 public:
  static constexpr std::size_t kMost = 16;

  // `store`: name of the store in messages.
  MissingIndexes(Env& env, std::string store) : store_(std::move(store)), env_(&env) {}

  // Logs the request. `error`: lists the indexes that exist.
  void AskedFor(std::string_view index, const Error& error);
  // Stops logging, as the env may be destroyed. Snapshots outlive it.
  void Close();

 private:
  const std::string store_;
  base::Mutex mutex_;
  Env* env_ KINFORMER_GUARDED_BY(mutex_);  // null: closed
  std::set<std::string, std::less<>> said_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_MISSING_INDEXES_H_
