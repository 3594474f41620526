// client/list_gate.h
//
// ListGate: limits how many collections a client fetches at the same time. A program with many
// informers would otherwise request all of them at once, which overloads the server and delays
// every one of them. It also makes them pause when the server asks one of them to wait.

#ifndef KINFORMER_CLIENT_LIST_GATE_H_
#define KINFORMER_CLIENT_LIST_GATE_H_

#include <cstddef>
#include <functional>
#include <list>
#include <memory>

#include "kinformer/base/env.h"

namespace kinformer::internal::client {

// Loop-confined.
class ListGate : public std::enable_shared_from_this<ListGate> {
 public:
  // A place in the queue or, after `granted` was called, a place inside. Destroying it releases the
  // place.
  class Ticket {
   public:
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

   private:
    friend class ListGate;
    Ticket(std::shared_ptr<ListGate> gate, std::function<void()> granted)
        : gate_(std::move(gate)), granted_(std::move(granted)) {}
    std::shared_ptr<ListGate> gate_;
    std::function<void()> granted_;
    bool inside_ = false;
    Timer jitter_;
    std::list<Ticket*>::iterator place_{};
  };

  ListGate(Env& env, std::size_t width) : env_(env), width_(width == 0 ? 1 : width) {}

  // Calls `granted` when it is the caller's turn, never before returning. `granted` may destroy
  // other tickets, but not this one.
  std::unique_ptr<Ticket> Enter(std::function<void()> granted);

  // Reports that the server asked a request to wait. Closes the gate for that time, limited to a
  // few seconds as the server may have meant only that collection. Then requests enter one by one,
  // a second apart, until one is accepted.
  void AskedToWait(Duration pause);
  // Reports that the server accepted a list, and ends the one-by-one mode.
  void Welcome();

 private:
  // `at_once`: without the delay that spreads requests which start at the same instant.
  void Admit(bool at_once);

  void CloseUntil(SteadyTime time);

  Env& env_;
  std::size_t width_;
  bool one_by_one_ = false;
  SteadyTime closed_until_{};
  Timer opens_;
  std::size_t inside_ = 0;
  std::list<Ticket*> waiting_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_LIST_GATE_H_
