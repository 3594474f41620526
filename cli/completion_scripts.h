// cli/completion_scripts.h
//
// Scripts that let shells complete command lines with the answers of `kinformer __complete`.

#ifndef KINFORMER_CLI_COMPLETION_SCRIPTS_H_
#define KINFORMER_CLI_COMPLETION_SCRIPTS_H_

#include <string_view>

namespace kinformer::cli {

// `shell`: "bash", "zsh" or "fish"; empty for others.
std::string_view CompletionScript(std::string_view shell);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_COMPLETION_SCRIPTS_H_
