// cli/size_text.h
//
// The answer of `kinformer size`, as a table and as JSON.

#ifndef KINFORMER_CLI_SIZE_TEXT_H_
#define KINFORMER_CLI_SIZE_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "cli/size_estimate.h"

namespace kinformer::cli {

struct ClusterSize {
  std::vector<SizedResource> resources{};
  SizeFigures process{};                  // of a process with an informer of one object
  std::optional<SizeFigures> measured{};  // of a process with all the informers
  std::uint64_t measured_objects = 0;

  [[nodiscard]] SizeFigures Total() const;
};

// Returns "512", "98.2Ki", "1.50Gi".
std::string BytesText(double bytes);

// Returns lines without line ends.
std::vector<std::string> SizeTable(const ClusterSize& size);
json::Value SizeJson(const ClusterSize& size);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SIZE_TEXT_H_
