#include "otlp/sampler.h"

#include <string_view>

#include "base/text/number_in.h"

namespace kinformer::internal::otlp {
namespace {

constexpr std::uint64_t kAll = std::uint64_t{1} << 63;

Error Wrong(const std::string& where, const std::string& what) {
  return {Reason::kConfig, where + ": " + what};
}

Result<std::uint64_t> BoundOf(const std::string& argument, const std::string& where) {
  if (argument.empty()) return kAll;
  const auto share = base::NumberIn<double>(argument);
  if (!share || !(*share >= 0) || !(*share <= 1)) {
    return Wrong(where, "the share of the traces \"" + argument +
                            "\" is no number from 0 to 1, such as 0.25");
  }
  return *share == 1 ? kAll : static_cast<std::uint64_t>(*share * static_cast<double>(kAll));
}

}  // namespace

Result<Sampler> Sampler::Of(const std::string& name, const std::string& argument,
                            const std::string& where) {
  constexpr std::string_view kByParent = "parentbased_";
  Sampler out;
  std::string_view kind = name;
  if (kind.starts_with(kByParent)) {
    out.by_parent_ = true;
    kind.remove_prefix(kByParent.size());
  }
  if (kind == "always_on") {
    out.below_ = kAll;
  } else if (kind == "always_off") {
    out.below_ = 0;
  } else if (kind == "traceidratio") {
    Result<std::uint64_t> bound = BoundOf(argument, where);
    if (!bound) return std::move(bound).error();
    out.below_ = *bound;
  } else {
    return Wrong(where, "there is no sampler \"" + name +
                            "\"; there are always_on, always_off and traceidratio, and each with "
                            "parentbased_ in front");
  }
  return out;
}

bool Sampler::Samples(const SpanContext* parent,
                      const std::array<std::uint8_t, 16>& trace_id) const {
  if (by_parent_ && parent != nullptr) return parent->sampled;
  // The second half of the id, without its lowest bit.
  std::uint64_t number = 0;
  for (std::size_t i = 8; i < trace_id.size(); ++i) number = number << 8 | trace_id[i];
  return (number >> 1) < below_;
}

}  // namespace kinformer::internal::otlp
