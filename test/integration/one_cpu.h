// test/integration/one_cpu.h
//
// OneCpu: one processor for a thread and for all that it starts.

#ifndef KINFORMER_TEST_INTEGRATION_ONE_CPU_H_
#define KINFORMER_TEST_INTEGRATION_ONE_CPU_H_

#include <gtest/gtest.h>
#include <sched.h>

namespace kinformer::testing {

// Binds the current thread, and all threads that it starts meanwhile, to one processor.
class OneCpu {
 public:
  OneCpu() {
    EXPECT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before_)) ++cpu;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  ~OneCpu() { sched_setaffinity(0, sizeof before_, &before_); }
  OneCpu(const OneCpu&) = delete;
  OneCpu& operator=(const OneCpu&) = delete;

 private:
  cpu_set_t before_{};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_ONE_CPU_H_
