// test/operator/cause_check.h
//
// CauseCheck: compares the causes of reconciles with the events that have come.

#ifndef KINFORMER_TEST_OPERATOR_CAUSE_CHECK_H_
#define KINFORMER_TEST_OPERATOR_CAUSE_CHECK_H_

#include <cstddef>
#include <deque>
#include <map>
#include <string>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/controller/causes.h"
#include "kinformer/controller/predicate.h"
#include "kinformer/controller/reconciler.h"

namespace kinformer::testing {

// For one controller of ConfigMaps and their children in simulated time. What it expects comes from
// predicates, which see each event before its handler does.
class CauseCheck {
 public:
  using Map = corev1::ConfigMap;

  // Accept everything, and note an event of a request's object, or of its child.
  [[nodiscard]] predicate::Predicate<Map> OfObjects();
  [[nodiscard]] predicate::Predicate<Map> OfChildren();

  // Call it when a reconcile begins. Returns what is wrong; empty: the events among its causes are
  // the oldest of those that came since the last one began, and they are all of them unless it
  // was held up after it had been taken from the queue.
  [[nodiscard]] std::string Begins(const Request& request, const Causes& causes);
  // Returns what is wrong once nothing is queued: events that woke no reconcile.
  [[nodiscard]] std::string AtRest() const;

  // Events that were compared.
  [[nodiscard]] int compared() const { return compared_; }

 private:
  template <class Keys>
  predicate::Predicate<Map> NoteWith(Keys keys);

  std::map<std::string, std::deque<std::string>> expected_;  // by request
  int compared_ = 0;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_OPERATOR_CAUSE_CHECK_H_
