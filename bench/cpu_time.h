// bench/cpu_time.h

#ifndef KINFORMER_BENCH_CPU_TIME_H_
#define KINFORMER_BENCH_CPU_TIME_H_

#include <sys/resource.h>

namespace kinformer {

// Returns the CPU time of this process, of all its threads, since its start.
inline double CpuNanoseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto nanoseconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
  };
  return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

}  // namespace kinformer

#endif  // KINFORMER_BENCH_CPU_TIME_H_
