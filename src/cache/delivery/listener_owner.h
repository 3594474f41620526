// cache/delivery/listener_owner.h
//
// ListenerOwner: the informer that a listener belongs to, as far as the listener's room knows it.

#ifndef KINFORMER_CACHE_DELIVERY_LISTENER_OWNER_H_
#define KINFORMER_CACHE_DELIVERY_LISTENER_OWNER_H_

#include <memory>
#include <string>

namespace kinformer::internal::cache {

class Listener;

// Thread-safe. Owned by the informer's handles; a listener holds it weakly.
class ListenerOwner {
 public:
  virtual ~ListenerOwner() = default;
  ListenerOwner(const ListenerOwner&) = delete;
  ListenerOwner& operator=(const ListenerOwner&) = delete;

  // The informer's name in messages: "pods in namespace default".
  [[nodiscard]] virtual const std::string& Describe() const = 0;
  [[nodiscard]] virtual bool HasStarted() const = 0;
  // No event follows any more.
  [[nodiscard]] virtual bool IsStopped() const = 0;
  // Takes the listener out of the informer's handlers, and lets an informer that it held up go on.
  virtual void Forget(const std::shared_ptr<Listener>& listener) = 0;

 protected:
  ListenerOwner() = default;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_LISTENER_OWNER_H_
