// cli/go_value.h
//
// Texts of JSON values as Go's fmt prints them: a string as it is, map[a:1 b:2], [1 2], <nil>.

#ifndef KINFORMER_CLI_GO_VALUE_H_
#define KINFORMER_CLI_GO_VALUE_H_

#include <string>

#include "kinformer/json/json.h"

namespace kinformer::cli {

// As fmt's %v.
std::string GoText(const json::Value& value);

// Whether Go's templates take the value for true: not false, 0, "", null or empty.
bool IsTrue(const json::Value& value);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_GO_VALUE_H_
