#include "apiserver/workloads/job_indexes.h"

#include <algorithm>

#include "base/text/number_in.h"

namespace kinformer::apiserver::workloads {
namespace {

// Indexed Jobs have no more.
constexpr std::int64_t kMostIndexes = 1'000'000;

}  // namespace

std::set<std::int64_t> ParseIndexes(std::string_view text, std::int64_t end) {
  std::set<std::int64_t> out;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t dash = part.find('-');
    const auto first = internal::base::NumberIn(part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : internal::base::NumberIn(part.substr(dash + 1));
    if (!first || !last || *first < 0) continue;
    const std::int64_t most = std::min({*last, end - 1, kMostIndexes - 1});
    for (std::int64_t i = *first; i <= most; ++i) out.insert(i);
  }
  return out;
}

std::string IndexesText(const std::set<std::int64_t>& indexes) {
  std::string out;
  for (auto at = indexes.begin(); at != indexes.end();) {
    const std::int64_t first = *at;
    std::int64_t last = first;
    for (++at; at != indexes.end() && *at == last + 1; ++at) last = *at;
    out += (out.empty() ? "" : ",") + std::to_string(first);
    if (last > first) out += (last == first + 1 ? "," : "-") + std::to_string(last);
  }
  return out;
}

}  // namespace kinformer::apiserver::workloads
