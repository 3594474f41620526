// apiserver/schema/rule_costs.h
//
// RuleCosts: what the rules of a CustomResourceDefinition cost at worst. Rules that may cost too
// much are refused when the definition is written.

#ifndef KINFORMER_APISERVER_SCHEMA_RULE_COSTS_H_
#define KINFORMER_APISERVER_SCHEMA_RULE_COSTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/schema/schema_node.h"
#include "cel/program.h"
#include "cel/type.h"

namespace kinformer::apiserver {

// How often a value can be in an object; nullopt where the schemas around it set no limit.
using Cardinality = std::optional<std::uint64_t>;

// Returns how often the values inside the schema can be.
Cardinality CardinalityInside(const json::Value& schema, const Cardinality& own);

class RuleCosts {
 public:
  // `each`: expressions are refused by their own costs, too, not only by the sum.
  explicit RuleCosts(bool each) : each_(each) {}

  // Adds an expression of a rule at `field`, and its problem. Without limits around it, the value
  // can be as often as a request has room for.
  void AddRule(const internal::cel::Program& program, const internal::cel::Type& self,
               const Cardinality& cardinality, std::string field, std::vector<StatusCause>& causes);
  // The same for a messageExpression, which is evaluated once.
  void AddMessage(const internal::cel::Program& program, const internal::cel::Type& self,
                  std::string field, std::vector<StatusCause>& causes);

  // Adds the problems of the sum, at the field of the whole schema.
  void CheckSum(const std::string& field, std::vector<StatusCause>& causes) const;

 private:
  struct Part {
    std::string field{};
    std::uint64_t cost = 0;
  };
  void Add(const char* name, std::uint64_t cost, std::string field,
           std::vector<StatusCause>& causes);

  bool each_;
  std::uint64_t sum_ = 0;
  std::vector<Part> largest_{};  // the largest first
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_RULE_COSTS_H_
