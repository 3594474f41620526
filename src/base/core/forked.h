// base/core/forked.h
//
// Whether this process has come out of fork() since something was made. The child has a copy of all
// objects but only the thread that forked: nobody runs the loops, and the sockets are the parent's.

#ifndef KINFORMER_BASE_CORE_FORKED_H_
#define KINFORMER_BASE_CORE_FORKED_H_

#include <cstdint>
#include <utility>

#include "kinformer/env.h"

namespace kinformer::internal::base {

// Remembers the process that it is made in. Thread-safe; one load.
class Birthplace {
 public:
  Birthplace();
  [[nodiscard]] bool InAnotherProcess() const;
  void AbortInAnotherProcess() const;

 private:
  std::uint32_t generation_;
};

// Whether `env` is a Runtime's of the process that this one was forked off: nothing runs there, and
// nobody must wait for it. What it owns is left alone: the parent uses the same sockets.
bool IsForkedOff(Env& env);

// In a child: keeps for ever what a pointer owns, since its destructor would do something to what
// is the parent's.
template <class Pointer>
void LeaveToParent(Pointer owner) {
  [[maybe_unused]] const Pointer* const kept = new Pointer(std::move(owner));
}

// For destructors: does so where `env` is a parent's, and returns whether it did.
template <class Pointer>
bool LeaveIfForkedOff(Env& env, Pointer& owner) {
  const bool forked = IsForkedOff(env);
  if (forked) LeaveToParent(std::move(owner));
  return forked;
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_FORKED_H_
