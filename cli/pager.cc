#include "cli/pager.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

namespace kinformer::cli {

std::string PagerCommand(bool terminal, const char* pager) {
  if (!terminal || pager == nullptr || std::string_view(pager) == "cat") return {};
  return pager;
}

void ShowPaged(std::string_view text) {
  const std::string command = PagerCommand(isatty(STDOUT_FILENO) != 0, std::getenv("PAGER"));
  std::FILE* pager = nullptr;
  if (!command.empty()) {
    // A short text is printed and stays, colours are allowed: what git asks of less.
    setenv("LESS", "FRX", /*replace=*/0);
    std::cout.flush();
    pager = popen(command.c_str(), "w");
  }
  if (pager == nullptr) {
    std::cout << text;
    std::cout.flush();
    return;
  }
  // A person may leave before the end: the rest is then written to nobody.
  std::fwrite(text.data(), 1, text.size(), pager);
  const int status = pclose(pager);
  // The shell has not found it.
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) std::cout << text << std::flush;
}

}  // namespace kinformer::cli
