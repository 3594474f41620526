// config/testing/terminal_on_stdin.h

#ifndef KINFORMER_CONFIG_TESTING_TERMINAL_ON_STDIN_H_
#define KINFORMER_CONFIG_TESTING_TERMINAL_ON_STDIN_H_

#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kinformer {

// Makes standard input a terminal during its lifetime.
class TerminalOnStdin {
 public:
  TerminalOnStdin() : before_(dup(STDIN_FILENO)), terminal_(posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(grantpt(terminal_), 0);
    EXPECT_EQ(unlockpt(terminal_), 0);
    const int other_end = open(ptsname(terminal_), O_RDWR | O_NOCTTY);
    EXPECT_EQ(dup2(other_end, STDIN_FILENO), STDIN_FILENO);
    close(other_end);
  }
  ~TerminalOnStdin() {
    dup2(before_, STDIN_FILENO);
    close(before_);
    close(terminal_);
  }
  TerminalOnStdin(const TerminalOnStdin&) = delete;
  TerminalOnStdin& operator=(const TerminalOnStdin&) = delete;

 private:
  const int before_;
  const int terminal_;
};

}  // namespace kinformer

#endif  // KINFORMER_CONFIG_TESTING_TERMINAL_ON_STDIN_H_
