// cli/size_estimate.h
//
// SizeEstimator: what informers will take, found by running them on copies of sampled objects.

#ifndef KINFORMER_CLI_SIZE_ESTIMATE_H_
#define KINFORMER_CLI_SIZE_ESTIMATE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/base/runtime.h"

#include "cli/selection.h"
#include "cli/size_process.h"
#include "cli/size_sample.h"

namespace kinformer::cli {

// Memory of a row of a resource is what it adds to the process.
struct SizeFigures {
  double wire_bytes = 0;
  double cpu_seconds = 0;
  double start_bytes = 0;  // the highest resident size
  double settled_bytes = 0;

  SizeFigures& operator+=(const SizeFigures& other);
};

// An option of the informer or its client, and the figures with it.
struct SizedOption {
  std::string name{};
  SizeFigures figures{};
};

struct SizedResource {
  std::string name{};
  std::uint64_t objects = 0;
  std::size_t sampled = 0;
  std::uint64_t names = 0;
  double error = 0;
  std::string encoding{};      // "protobuf" or "JSON"
  std::string initial_list{};  // "watch-list" or "list"
  SizeFigures figures{};
  std::vector<SizedOption> options{};                               // those that save something
  std::vector<std::pair<std::string, std::uint64_t>> namespaces{};  // the largest
};

struct SizeOptions {
  bool try_options = true;
  bool prefer_json = false;
  // Options that all figures are with.
  bool drop_managed_fields = false;
  bool compress = false;
  bool metadata = false;
  bool accept_gzip = false;
  std::vector<std::string> dropped_fields{};
};

// Returns the process with informers of these selections, without a server.
MeasuredProcess ProcessFor(const std::vector<Selection>& selections, const SizeOptions& options);

// Used by one thread; blocks.
class SizeEstimator {
 public:
  using Measure = std::function<Result<ProcessFigures>(const MeasuredProcess& process)>;
  // `measure`: MeasureInProcess.
  SizeEstimator(SizeOptions options, Measure measure);
  ~SizeEstimator();
  SizeEstimator(const SizeEstimator&) = delete;
  SizeEstimator& operator=(const SizeEstimator&) = delete;

  // Serves copies of the sampled objects on a port of this machine to an informer in a process of
  // its own, and enlarges its figures to the number of objects in the collection.
  Result<SizedResource> Estimate(const Selection& selection, const SizeSample& sample);

  // Returns the figures of a process with an informer of a single object. Zero before Estimate has
  // been called with a sample that has objects.
  [[nodiscard]] const SizeFigures& process() const { return process_; }

 private:
  class Rehearsal;
  const SizeOptions options_;
  const Measure measure_;
  Runtime runtime_;
  SizeFigures process_{};
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SIZE_ESTIMATE_H_
