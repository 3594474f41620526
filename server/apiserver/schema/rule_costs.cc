#include "apiserver/schema/rule_costs.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

namespace cel = internal::cel;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxRequest = std::uint64_t{3} << 20;
// Limits of kube-apiserver: of one expression, and of all in a schema.
constexpr std::uint64_t kMaxCost = 10'000'000;
constexpr std::uint64_t kMaxSum = 100'000'000;
// How many of the largest are named.
constexpr std::size_t kNamed = 4;

std::uint64_t Product(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kMost / a ? kMost : a * b;
}

std::string Digits(double number, int precision) {
  char text[64];
  const auto [end, error] =
      std::to_chars(std::begin(text), std::end(text), number, std::chars_format::fixed, precision);
  return {text, end};
}

std::string TooMuch(std::string_view name, std::uint64_t cost, std::uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  std::string shown = factor > 100 ? "more than 100" : Digits(factor, factor < 1.5 ? 6 : 1);
  return std::string(name) + " exceeds budget by factor of " + std::move(shown) +
         "x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where "
         "arrays, maps, and strings are declared)";
}

}  // namespace

Cardinality CardinalityInside(const json::Value& schema, const Cardinality& own) {
  const std::string& type = schema["type"].StringOrEmpty();
  const bool map = type == "object" && !schema["additionalProperties"].is_null();
  if (!own || (!map && type != "array")) return own;
  const auto limit = schema[map ? "maxProperties" : "maxItems"].AsInt64();
  if (!limit) return std::nullopt;
  return Product(*own, static_cast<std::uint64_t>(std::max<std::int64_t>(*limit, 0)));
}

void RuleCosts::AddRule(const cel::Program& program, const cel::Type& self,
                        const Cardinality& cardinality, std::string field,
                        std::vector<StatusCause>& causes) {
  // With a comma behind each value.
  const std::uint64_t times = cardinality.value_or(kMaxRequest / (self.min_json + 1));
  Add("estimated rule cost", Product(program.MaxCost(self), times), std::move(field), causes);
}

void RuleCosts::AddMessage(const cel::Program& program, const cel::Type& self, std::string field,
                           std::vector<StatusCause>& causes) {
  Add("estimated messageExpression cost", program.MaxCost(self), std::move(field), causes);
}

void RuleCosts::Add(const char* name, std::uint64_t cost, std::string field,
                    std::vector<StatusCause>& causes) {
  if (each_ && cost > kMaxCost) {
    causes.push_back(ForbiddenField(field, TooMuch(name, cost, kMaxCost)));
  }
  sum_ = cost > kMost - sum_ ? kMost : sum_ + cost;
  if (cost < kMaxSum / 100) return;
  largest_.push_back({std::move(field), cost});
  std::ranges::stable_sort(largest_, std::ranges::greater(), &Part::cost);
  if (largest_.size() > kNamed) largest_.pop_back();
}

void RuleCosts::CheckSum(const std::string& field, std::vector<StatusCause>& causes) const {
  if (sum_ <= kMaxSum) return;
  for (const Part& part : largest_) {
    causes.push_back(ForbiddenField(part.field,
                                    "contributed to estimated rule cost total exceeding cost limit "
                                    "for entire OpenAPIv3 schema"));
  }
  causes.push_back(ForbiddenField(
      field, TooMuch("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
                     "schema",
                     sum_, kMaxSum)));
}

}  // namespace kinformer::apiserver
