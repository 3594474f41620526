#include "soak/process_growth.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace kinformer::testing {
namespace {

// Sum of `type`'s sizes over all arenas, which malloc_info prints after the last arena.
double Total(std::string_view totals, std::string_view type) {
  const std::string key = "type=\"" + std::string(type) + "\"";
  std::size_t at = totals.find(key);
  if (at != std::string_view::npos) at = totals.find("size=\"", at);
  return at == std::string_view::npos ? 0 : std::atof(totals.data() + at + 6);
}

// mallinfo2() covers only the first arena.
double Allocated() {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* const file = open_memstream(&text, &length);
  malloc_info(0, file);
  std::fclose(file);
  const std::string info(text, length);
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): open_memstream's
  const std::size_t end = info.rfind("</heap>");
  if (end == std::string::npos) return 0;  // not glibc's allocator
  const std::string_view totals = std::string_view(info).substr(end);
  return Total(totals, "current") + Total(totals, "mmap") - Total(totals, "fast") -
         Total(totals, "rest");
}

// Median of `of` over the samples.
template <class F>
auto Median(std::vector<ProcessSample> samples, F of) {
  std::sort(samples.begin(), samples.end(),
            [&](const ProcessSample& a, const ProcessSample& b) { return of(a) < of(b); });
  return of(samples[samples.size() / 2]);
}

}  // namespace

ProcessSample SampleProcess() {
  malloc_trim(0);
  ProcessSample sample;
  sample.descriptors = static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  statm >> total >> sample.resident;
  sample.resident *= static_cast<double>(sysconf(_SC_PAGESIZE));
  sample.allocated = Allocated();
  return sample;
}

int CountGrowing(const std::vector<ProcessSample>& samples, const GrowthLimits& limits) {
  const auto third = static_cast<std::ptrdiff_t>(samples.size() / 3);
  const std::vector<ProcessSample> early(samples.begin() + third, samples.begin() + 2 * third);
  const std::vector<ProcessSample> late(samples.begin() + 2 * third, samples.end());
  const auto descriptors = [](const ProcessSample& sample) { return sample.descriptors; };
  const auto resident = [](const ProcessSample& sample) { return sample.resident; };
  const auto allocated = [](const ProcessSample& sample) { return sample.allocated; };
  const std::size_t descriptors_before = Median(early, descriptors);
  const std::size_t descriptors_after = Median(late, descriptors);
  const double resident_before = Median(early, resident);
  const double resident_after = Median(late, resident);
  const double allocated_before = Median(early, allocated);
  const double allocated_after = Median(late, allocated);
  std::printf(
      "descriptors %zu -> %zu, memory %.1f MB -> %.1f MB, allocated of it %.3f MB -> %.3f MB\n",
      descriptors_before, descriptors_after, resident_before / 1e6, resident_after / 1e6,
      allocated_before / 1e6, allocated_after / 1e6);
  int growing = 0;
  if (descriptors_after > descriptors_before + limits.descriptors) {
    std::printf("FAIL: descriptors grow\n");
    ++growing;
  }
  if (allocated_after > allocated_before + limits.allocated) {
    std::printf("FAIL: what is allocated grows\n");
    ++growing;
  }
  const double slack = std::max(resident_before * limits.resident_share, limits.resident);
  if (resident_after > resident_before + slack) {
    std::printf("FAIL: memory grows\n");
    ++growing;
  }
  return growing;
}

}  // namespace kinformer::testing
