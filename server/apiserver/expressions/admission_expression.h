// apiserver/expressions/admission_expression.h
//
// AdmissionExpression: an expression of a webhook's condition or of an admission policy, compiled.
// Counterpart: k8s.io/apiserver's package admission/plugin/cel.

#ifndef KINFORMER_APISERVER_EXPRESSIONS_ADMISSION_EXPRESSION_H_
#define KINFORMER_APISERVER_EXPRESSIONS_ADMISSION_EXPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

#include "cel/program.h"
#include "cel/type.h"

namespace kinformer::apiserver {

// Positions of the variables of expressions. A policy's own ones are behind them.
enum AdmissionVariable : std::size_t {
  kObject,
  kOldObject,
  kNamespaceObject,
  kRequest,
  kParams,
  kAuthorizer,
  kRequestResource,  // authorizer.requestResource
  kVariables,
  kFixedVariables,
};

// Immutable. Without a program, `error` says why.
struct AdmissionExpression {
  std::string text{};
  std::shared_ptr<const internal::cel::Program> program{};
  std::string error{};
  // Levels of recursion that the evaluation needs, with that of the variables in it.
  std::size_t depth = 0;

  // Returns whether it asks the authorizer, and so must be evaluated on the loop.
  [[nodiscard]] bool asks_authorizer() const {
    return program != nullptr && (program->Uses(kAuthorizer) || program->Uses(kRequestResource));
  }
};

// A variable of a policy.
struct PolicyVariable {
  std::string name{};
  AdmissionExpression expression{};
};

// Types of results that expressions must have.
enum class ExpressionResult : std::uint8_t {
  kAny,
  kBool,
  kText,
  kTextOrNull,
  kApplyConfiguration,  // Object{...}
  kJsonPatch,           // [JSONPatch{...}]
};

// Names that expressions can use. `authorizer` and `params` exist only where they are declared.
class ExpressionScope {
 public:
  struct Declared {
    bool params = false;
    bool authorizer = true;
    bool patches = false;  // the messages Object, Object.spec..., and JSONPatch
  };
  explicit ExpressionScope(const Declared& declared);

  // Compiles an expression. Errors are those of kube-apiserver.
  [[nodiscard]] AdmissionExpression Compile(std::string_view text, ExpressionResult result) const;

  // Declares the variables of a policy, so that later expressions can name them, and those among
  // them their predecessors.
  std::vector<PolicyVariable> Declare(const json::Value& variables);
  // Declares variables that have been compiled with another scope.
  void Declare(std::span<const PolicyVariable> variables);

 private:
  void Add(const PolicyVariable& variable);

  internal::cel::Environment environment_{};
  std::vector<std::size_t> depths_{};  // of the policy's variables
};

// Returns the text without blanks around it, as Go's strings.TrimSpace does.
[[nodiscard]] std::string_view Trimmed(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_EXPRESSIONS_ADMISSION_EXPRESSION_H_
