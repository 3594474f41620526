// cli/arguments.h
//
// Parses the arguments of `get` and `watch`, in kubectl's forms: "pods", "po,svc", "pod a b",
// "pod/a cm/b".

#ifndef KINFORMER_CLI_ARGUMENTS_H_
#define KINFORMER_CLI_ARGUMENTS_H_

#include <string>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer::cli {

// One resource, and the name of one object if it was given.
struct Asked {
  std::string resource;
  std::string name;  // empty: all
  friend bool operator==(const Asked&, const Asked&) = default;
};

// In the order of the arguments; with several resources and several names, every name of the first
// resource before the second one's. Errors are kInvalidArgument. REQUIRES: not empty.
Result<std::vector<Asked>> ReadArguments(const std::vector<std::string>& arguments);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_ARGUMENTS_H_
