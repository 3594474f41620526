// test/support/child_process.h
//
// ChildProcess: a program that a test starts, reads and ends. Its output is read line by line; it
// ends with the test.

#ifndef KINFORMER_TEST_SUPPORT_CHILD_PROCESS_H_
#define KINFORMER_TEST_SUPPORT_CHILD_PROCESS_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinformer::testing {

// Belongs to one thread. Destruction kills the program (SIGKILL) and reaps it.
class ChildProcess {
 public:
  // The program's standard output, and its standard error too if asked for, is a pipe that this
  // object reads; its standard input is a pipe that closes with this object at the latest.
  // `environment`: "NAME=value", on top of this process's own. Aborts if the program cannot be
  // started.
  ChildProcess(std::vector<std::string> arguments, std::vector<std::string> environment = {},
               bool read_stderr = false);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The next line of output without its end; empty at the end of output or when `timeout` has
  // passed.
  std::optional<std::string> ReadLine(std::chrono::milliseconds timeout);
  // Reads lines until one contains `text`; returns false after `timeout`. Appends the lines to
  // `seen`.
  bool WaitForLine(const std::string& text, std::chrono::milliseconds timeout,
                   std::vector<std::string>* seen = nullptr);
  // Writes to the program's standard input. Blocks once the pipe's 64 KB are full.
  void WriteLine(const std::string& line);
  // Closes the program's standard input.
  void CloseInput();
  void Signal(int signal);
  [[nodiscard]] int pid() const { return pid_; }
  // Waits for the end. Returns the exit status, 128 + signal, or -1 after `timeout`.
  int Wait(std::chrono::milliseconds timeout);

 private:
  int pid_ = -1;
  int output_ = -1;
  int input_ = -1;
  std::optional<int> status_;
  std::string buffer_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SUPPORT_CHILD_PROCESS_H_
