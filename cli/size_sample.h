// cli/size_sample.h
//
// A sample of a collection: objects that stand for all of it, their number, and how far the sum of
// their sizes may be off.

#ifndef KINFORMER_CLI_SIZE_SAMPLE_H_
#define KINFORMER_CLI_SIZE_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/client.h"
#include "kinformer/internal/block.h"

#include "cli/selection.h"

namespace kinformer::cli {

struct SampledObject {
  internal::ObjectRef object{};
  double weight = 1;  // how many objects it stands for
};

struct SizeSample {
  std::uint64_t objects = 0;  // in the collection
  std::uint64_t names = 0;    // whose metadata was read; the rest is taken to be like these
  std::vector<SampledObject> sampled{};
  // Half the width of the 95 % interval of the sum of all sizes, divided by that sum.
  double error = 0;
  std::map<std::string, std::uint64_t> namespaces{};  // objects of each
  // The server sends the existing objects with a watch (a watch-list).
  bool watch_list = false;

  [[nodiscard]] bool complete() const { return sampled.size() == objects; }
};

struct SampleOptions {
  std::size_t most = 1000;  // objects to read
  std::uint64_t seed = 1;
};

// Reads a collection of up to 250 objects whole. From a larger one it reads the metadata of 200,000
// objects at most, in pages, and single objects that Strata chooses: 200 or more, until the error
// is below 2 % or options.most is reached. Changes nothing on the server. Blocks.
Result<SizeSample> TakeSample(const Client& client, const Selection& selection,
                              const SampleOptions& options, const CallOptions& call);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SIZE_SAMPLE_H_
