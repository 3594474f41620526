// bench/process_figures.h
//
// Resources used by this process so far, as measured by the kernel.

#ifndef KINFORMER_BENCH_PROCESS_FIGURES_H_
#define KINFORMER_BENCH_PROCESS_FIGURES_H_

#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>

namespace kinformer::bench {

// User and system CPU seconds of all threads.
inline double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Resident bytes now.
inline double RssBytes() {
  long total = 0;
  long resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r"); file != nullptr) {
    if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Resets the peak of PeakRssBytes. Does nothing if the kernel does not allow it.
inline void ForgetPeakRss() {
  if (std::FILE* file = std::fopen("/proc/self/clear_refs", "w"); file != nullptr) {
    std::fputs("5", file);
    std::fclose(file);
  }
}

// Peak of the resident bytes, since the start or since ForgetPeakRss.
inline double PeakRssBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_PROCESS_FIGURES_H_
