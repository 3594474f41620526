// cel/signatures.h
//
// The functions of the language and of Kubernetes' extensions: their forms for the checker, and
// what computes them.

#ifndef KINFORMER_CEL_SIGNATURES_H_
#define KINFORMER_CEL_SIGNATURES_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "cel/expression.h"
#include "cel/type.h"

namespace kinformer::internal::cel {

// One form of a function. Variables of its types are numbered from 0.
struct Signature {
  std::vector<TypePtr> parameters{};  // of members: the target first
  TypePtr result{};
  bool is_member = false;
  std::size_t variables = 0;
};

struct FunctionFacts {
  std::vector<Signature> signatures{};
  Function function = nullptr;
  bool for_messages = false;  // it exists only where messages do
};

// Returns null if there is no function of this name. Operators have names like "_+_".
const FunctionFacts* FindFunction(std::string_view name);

// Returns the type that an identifier names ("int", "google.protobuf.Duration"); null if none.
TypePtr NamedType(std::string_view name);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_SIGNATURES_H_
