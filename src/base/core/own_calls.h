// base/core/own_calls.h
//
// OwnCalls: makes functions that do nothing once their owner has been destroyed.

#ifndef KINFORMER_BASE_CORE_OWN_CALLS_H_
#define KINFORMER_BASE_CORE_OWN_CALLS_H_

#include <memory>
#include <utility>

namespace kinformer::internal::base {

// A member of the object whose functions are posted to a loop:
//
//   env_.loop().Post(own_calls_.Guard([this] { Continue(); }));
//
// The guarded functions must run on the thread that destroys the owner; a destructor elsewhere
// would race with them. A Timer needs no guard: its destruction cancels it.
class OwnCalls {
 public:
  OwnCalls() = default;
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;

  // Returns a function that calls `call` unless this object has been destroyed by then. May be
  // copied, and may outlive this object.
  template <class Call>
  [[nodiscard]] auto Guard(Call call) const {
    return [call = std::move(call), owner = std::weak_ptr<const Owner>(owner_)]() mutable {
      if (!owner.expired()) call();
    };
  }

 private:
  struct Owner {};

  const std::shared_ptr<const Owner> owner_ = std::make_shared<const Owner>();
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_OWN_CALLS_H_
