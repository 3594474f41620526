#include "base/core/forked.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>

namespace kinformer::internal::base {
namespace {

// Number of forks since the first process that counted.
std::atomic<std::uint32_t> generation{0};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace

Birthplace::Birthplace() {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
  });
  generation_ = generation.load(std::memory_order_relaxed);
}

bool Birthplace::InAnotherProcess() const {
  return generation.load(std::memory_order_relaxed) != generation_;
}

void Birthplace::AbortInAnotherProcess() const {
  if (!InAnotherProcess()) return;
  std::fputs("a lock made before fork() is taken in the child\n", stderr);
  std::abort();
}

}  // namespace kinformer::internal::base
