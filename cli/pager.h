// cli/pager.h
//
// Long texts for a terminal.

#ifndef KINFORMER_CLI_PAGER_H_
#define KINFORMER_CLI_PAGER_H_

#include <string>
#include <string_view>

namespace kinformer::cli {

// Returns the command that shows a text: $PAGER. Empty, so that the text is only printed: it is not
// set or "cat", or the output is no terminal.
std::string PagerCommand(bool terminal, const char* pager);

// Shows the text in the pager if there is one, and waits for its end; or else prints it.
void ShowPaged(std::string_view text);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_PAGER_H_
