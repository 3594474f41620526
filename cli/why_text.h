// cli/why_text.h
//
// The answer of /debug/kinformer/why as text.

#ifndef KINFORMER_CLI_WHY_TEXT_H_
#define KINFORMER_CLI_WHY_TEXT_H_

#include <string>

#include "kinformer/json/json.h"

namespace kinformer::cli {

// Returns lines, newest reconcile last; empty if no controller knows anything of the object.
std::string WhyText(const json::Value& answer);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_WHY_TEXT_H_
