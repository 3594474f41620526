// base/core/mutex.h
//
// Mutex and MutexLock: a std::mutex that clang's thread safety analysis understands. For short
// critical sections without waits, without calls of user code, and without destroying objects that
// may run user code. Code that waits uses a Monitor of the Env.
//
// A forked child must not take a lock that was made before the fork: a thread that exists only in
// the parent may hold it. Builds with KINFORMER_CHECKS_FORKS, such as those with sanitizers, abort
// in that case, whether the lock is held or not.

#ifndef KINFORMER_BASE_CORE_MUTEX_H_
#define KINFORMER_BASE_CORE_MUTEX_H_

#include <mutex>

#ifdef KINFORMER_CHECKS_FORKS
#include "base/core/forked.h"
#endif

#if defined(__clang__)
#define KINFORMER_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define KINFORMER_THREAD_ANNOTATION(x)
#endif

#define KINFORMER_GUARDED_BY(m) KINFORMER_THREAD_ANNOTATION(guarded_by(m))
#define KINFORMER_PT_GUARDED_BY(m) KINFORMER_THREAD_ANNOTATION(pt_guarded_by(m))
#define KINFORMER_REQUIRES(m) KINFORMER_THREAD_ANNOTATION(requires_capability(m))
#define KINFORMER_EXCLUDES(m) KINFORMER_THREAD_ANNOTATION(locks_excluded(m))
#define KINFORMER_NO_THREAD_SAFETY_ANALYSIS KINFORMER_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace kinformer::internal::base {

class KINFORMER_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void Lock() KINFORMER_THREAD_ANNOTATION(acquire_capability()) {
#ifdef KINFORMER_CHECKS_FORKS
    birthplace_.AbortInAnotherProcess();
#endif
    mutex_.lock();
  }
  void Unlock() KINFORMER_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
#ifdef KINFORMER_CHECKS_FORKS
  const Birthplace birthplace_{};
#endif
  std::mutex mutex_;
};

class KINFORMER_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) KINFORMER_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() KINFORMER_THREAD_ANNOTATION(release_capability()) { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_MUTEX_H_
