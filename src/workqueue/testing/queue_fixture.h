// workqueue/testing/queue_fixture.h
//
// QueueTest: simulated time with metrics, for the tests of the queues.

#ifndef KINFORMER_WORKQUEUE_TESTING_QUEUE_FIXTURE_H_
#define KINFORMER_WORKQUEUE_TESTING_QUEUE_FIXTURE_H_

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"

namespace kinformer {

class QueueTest : public ::testing::Test {
 protected:
  // Takes all items that are ready.
  template <class Queue>
  std::vector<std::string> TakeAll(Queue& queue) {
    std::vector<std::string> taken;
    while (queue.Len() > 0) {
      taken.push_back(*queue.Get());
      queue.Done(taken.back());
    }
    return taken;
  }

  std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.seed = 11, .metrics = metrics_}};
  Env& env_ = sim_.env();
};

}  // namespace kinformer

#endif  // KINFORMER_WORKQUEUE_TESTING_QUEUE_FIXTURE_H_
