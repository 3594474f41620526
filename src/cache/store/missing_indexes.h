// cache/store/missing_indexes.h
//
// MissingIndexes: says in the log which indexes of a store are asked for and do not exist. A range
// over such an index is empty, and its error is easily overlooked.

#ifndef KINFORMER_CACHE_STORE_MISSING_INDEXES_H_
#define KINFORMER_CACHE_STORE_MISSING_INDEXES_H_

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/env.h"
#include "kinformer/error.h"

#include "base/core/mutex.h"

namespace kinformer::internal::cache {

// Each name once; of names that are made up as the program runs, the first sixteen. Thread-safe.
class MissingIndexes {
 public:
  static constexpr std::size_t kMost = 16;

  // `store`: what messages call it.
  MissingIndexes(Env& env, std::string store) : store_(std::move(store)), env_(&env) {}

  // `error`: says which indexes there are.
  void AskedFor(std::string_view index, const Error& error);
  // The env may go. Snapshots outlive it, and say nothing any more.
  void Close();

 private:
  const std::string store_;
  base::Mutex mutex_;
  Env* env_ KINFORMER_GUARDED_BY(mutex_);  // null: closed
  std::set<std::string, std::less<>> said_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_MISSING_INDEXES_H_
