// cli/program_samples.h
//
// Reads the state of a running program, a JSON document, into the samples of top's tables.

#ifndef KINFORMER_CLI_PROGRAM_SAMPLES_H_
#define KINFORMER_CLI_PROGRAM_SAMPLES_H_

#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "cli/top_table.h"

namespace kinformer::cli {

// Members that are missing, or of another type, have the value of an empty sample: the program may
// be of another version.
std::vector<TopSample> InformersOf(const json::Value& state);
std::vector<ControllerSample> ControllersOf(const json::Value& state);

// Returns "website-operator (pid 4711), up 3h5m, 42 MiB, leads default/websites".
std::string TitleOf(const json::Value& state);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_PROGRAM_SAMPLES_H_
