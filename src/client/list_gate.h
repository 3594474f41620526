// client/list_gate.h
//
// ListGate: how many collections a client fetches at the same time. A program with many informers
// would otherwise ask for all of them in the same instant, which is hard on the server and makes
// every one of them late. Nor do all of them ask a server that has just asked one to wait.

#ifndef KINFORMER_CLIENT_LIST_GATE_H_
#define KINFORMER_CLIENT_LIST_GATE_H_

#include <cstddef>
#include <functional>
#include <list>
#include <memory>

#include "kinformer/env.h"

namespace kinformer::internal::client {

// Loop-confined.
class ListGate : public std::enable_shared_from_this<ListGate> {
 public:
  // A place in the queue or, once `granted` has been called, a place inside. Destroying it gives
  // the place up.
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

  // Calls `granted` when it is the caller's turn, never before Enter has returned. `granted` may
  // destroy other tickets, not this one.
  std::unique_ptr<Ticket> Enter(std::function<void()> granted);

  // The server has asked who was inside to wait. Nobody enters for as long, though not longer than
  // a few seconds, since it may have meant that one collection; then they enter one by one, a
  // second apart, until one is welcome.
  void AskedToWait(Duration pause);
  // The server has let one list.
  void Welcome();

 private:
  // `at_once`: without the delay that spreads requests which start in the same instant.
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
