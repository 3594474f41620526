// cli/top_table.h
//
// Figures of informers as `top` shows them.

#ifndef KINFORMER_CLI_TOP_TABLE_H_
#define KINFORMER_CLI_TOP_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/cache/informer_options.h"

#include "cli/output.h"

namespace kinformer::cli {

// An informer, and what it says of itself.
struct TopSample {
  std::string resource{};    // "pods"
  std::string namespace_{};  // empty: all, or a kind without namespaces
  InformerStats stats{};
};

struct TopLine {
  std::string text{};
  Color color{Color::kPlain};
};

// The rates between two looks at the same informers. Used by one thread.
class TopTable {
 public:
  // Returns the title line and a line for each informer; then one for each error,
  // with the resources that have it. Rates are those
  // since the last call; the first has none. Columns never become narrower.
  std::vector<TopLine> Lines(const std::vector<TopSample>& samples, SteadyTime now);

 private:
  std::vector<std::uint64_t> events_{};
  std::optional<SteadyTime> last_{};
  std::vector<std::size_t> widths_{};
};

// Returns "0 B", "812 B", "3.6 KiB", "12 MiB".
std::string ByteText(std::size_t bytes);
// Returns "0.3s", "12s", "4m10s", "3h5m".
std::string AgeText(Duration age);

// Returns what replaces a picture of `before` lines on a terminal of this size by `lines`: longer
// lines are cut, and lines that do not fit are left out. `shown` becomes the number of lines.
std::string Picture(const std::vector<TopLine>& lines, std::size_t before, std::size_t width,
                    std::size_t height, bool colors, std::size_t& shown);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_TOP_TABLE_H_
