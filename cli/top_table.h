// cli/top_table.h
//
// Figures of informers as `top` shows them.

#ifndef KINFORMER_CLI_TOP_TABLE_H_
#define KINFORMER_CLI_TOP_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
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
  std::string error{};  // of an informer whose error is known as a text only; empty: stats has it
};

// A controller of another program, and what that says of it.
struct ControllerSample {
  std::string name{};
  std::size_t workers = 0;
  std::size_t busy = 0;
  std::size_t waiting = 0;
  std::size_t delayed = 0;
  std::size_t failing = 0;
  Duration oldest{0};
  std::uint64_t reconciles = 0;
  std::uint64_t errors = 0;
  std::string now{};  // what holds it back, or what it works on
  bool held_back = false;
};

struct TopLine {
  std::string text{};
  Color color{Color::kPlain};
};

// The rates between two looks at the same informers or controllers. Columns never become narrower.
// Used by one thread.
class TopTable {
 public:
  // Returns the title line and a line for each informer; then one for each error, with the
  // resources that have it. Rates are those since the last call; the first has none.
  std::vector<TopLine> Lines(const std::vector<TopSample>& samples, SteadyTime now);
  // Returns the title line and a line for each controller.
  std::vector<TopLine> Lines(const std::vector<ControllerSample>& samples, SteadyTime now);

 private:
  struct Row {
    std::vector<std::string> cells{};
    Color color{Color::kPlain};
  };
  // Begins a look at `now`, for the calls of RateOf that follow.
  void Begin(SteadyTime now);
  // Returns the text of the rate at which `total` of `name` has grown since the last look.
  std::string RateOf(const std::string& name, std::uint64_t total);
  // Returns the rows as lines. The columns from `first_number` on, but the last, are numbers.
  std::vector<TopLine> Aligned(const std::vector<Row>& rows, std::size_t first_number);

  std::map<std::string, std::uint64_t> before_{};
  std::map<std::string, std::uint64_t> totals_{};
  double elapsed_ = 0;  // seconds between the last two looks; 0: this is the first
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
