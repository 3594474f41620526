// kinformer/controller/fights.h
//
// FightOptions: how a controller recognises that its writes are undone again and again, and what it
// does then.
//
//   ControllerOptions options{.fights = FightOptions{.interval = std::chrono::minutes(1)}};
//
// docs/guide/writing-an-operator.md says what is a fight and what is none.

#ifndef KINFORMER_CONTROLLER_FIGHTS_H_
#define KINFORMER_CONTROLLER_FIGHTS_H_

#include <chrono>

#include "kinformer/base/time_span.h"

namespace kinformer {

// A round of a fight is a write that sets a field to a value which the controller has written
// before, and which is gone since: another writer has changed it, or the controller itself, woken
// by nothing but its own write, or the server within the write, as a webhook does. Has no
// counterpart in controller-runtime.
struct FightOptions {
  // False: nobody looks for fights.
  bool enabled{true};
  // Number of rounds in a row after which it is a fight: it is logged, counted, told by an event of
  // the object, and the request is held to the interval below. If the other writer sets another
  // value each time, it takes three more. At least 2.
  int rounds{5};
  // Longest time from one round to the next, until it is a fight. Slower rounds harm nobody.
  TimeSpan answer_within{std::chrono::seconds(30)};
  // Least time from a round of a fight to the next reconcile of its request, which no event is lost
  // in: they wait, and the request is reconciled at the end. If the object is deleted or made anew,
  // it is reconciled at once. 0: fights are named, but not held up.
  TimeSpan interval{std::chrono::seconds(10)};
  // A fight has ended when it had no round for this time; longer than `interval`.
  TimeSpan rest{std::chrono::minutes(2)};
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_FIGHTS_H_
