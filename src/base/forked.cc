#include "base/forked.h"

#include <atomic>
#include <mutex>
#include <pthread.h>

namespace kinformer::internal::base {
namespace {

// How many forks lie between this process and the one that counted first.
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

}  // namespace kinformer::internal::base
