// base/core/forked.h
//
// Detects that this process was forked since an object was made. A child has a copy of all objects
// but only the thread that forked: its loops do not run, and the sockets belong to the parent.

#ifndef KINFORMER_BASE_CORE_FORKED_H_
#define KINFORMER_BASE_CORE_FORKED_H_

#include <cstdint>
#include <utility>

#include "kinformer/base/env.h"

namespace kinformer::internal::base {

// Remembers the process in which it was made. Thread-safe; costs one load.
class Birthplace {
 public:
  Birthplace();
  [[nodiscard]] bool InAnotherProcess() const;
  void AbortInAnotherProcess() const;

 private:
  std::uint32_t generation_;
};

// Whether `env` belongs to a Runtime of the parent process. Nothing runs there, so nobody must wait
// for it, and its objects must be left alone because the parent uses the same sockets.
bool IsForkedOff(Env& env);

// In a child: keeps the pointer's object forever, because its destructor would change something
// that the parent uses, such as a connection.
template <class Pointer>
void LeaveToParent(Pointer owner) {
  [[maybe_unused]] const Pointer* const kept = new Pointer(std::move(owner));
}

// For destructors: leaves the object alone if `env` is a parent's, and returns whether it did.
template <class Pointer>
bool LeaveIfForkedOff(Env& env, Pointer& owner) {
  const bool forked = IsForkedOff(env);
  if (forked) LeaveToParent(std::move(owner));
  return forked;
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_FORKED_H_
