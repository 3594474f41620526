// cli/kubectl_habits.h
//
// Words for usage errors: how this program calls the options and commands that people bring along
// from kubectl, or who has them.

#ifndef KINFORMER_CLI_KUBECTL_HABITS_H_
#define KINFORMER_CLI_KUBECTL_HABITS_H_

#include <string>
#include <string_view>

#include "cli/command_line.h"

namespace kinformer::cli {

// Adds kubectl's commands that do not exist here.
void AddCommandHabits(CommandLine& line);

// Adds options of `kubectl get` that `get` and `watch` do not have.
void AddReadingHabits(Command& command);

// Adds options of `kubectl apply`, `diff` and `delete` that these commands do not have.
void AddManifestHabits(Command& command);

// Adds options of servers and of kubectl that have other names in `apiserver`.
void AddServerHabits(Command& command);

// Returns advice for a value of -o that does not exist; empty if there is none.
std::string OutputHabit(std::string_view output);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_KUBECTL_HABITS_H_
