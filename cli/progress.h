// cli/progress.h
//
// Progress: says on a terminal what a person waits for, if that takes longer than a second.

#ifndef KINFORMER_CLI_PROGRESS_H_
#define KINFORMER_CLI_PROGRESS_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"

#include "cli/connection.h"

namespace kinformer::cli {

// Returns codes that erase such a line, for others who write to standard error at the same time;
// empty if that is no terminal.
std::string_view LineStart();

// A line "waiting for pods ... 3s" on standard error, which disappears at the end of the scope.
// Prints nothing if standard error is no terminal. Used by one thread, not the loop.
class Progress {
 public:
  // `what`: "pods". Also prints nothing if a credential plugin always asks a person, on the same
  // terminal. `connection` outlives it.
  Progress(const Connection& connection, const std::string& what);
  // Writes to `write`, on the loop and on the thread that ends it; empty: prints nothing. `env`
  // outlives it.
  Progress(Env& env, const std::string& what, std::function<void(std::string_view)> write);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Ends it before the scope does: before other output to the terminal.
  void Done();

 private:
  struct State;
  std::shared_ptr<State> state_;  // null: prints nothing
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_PROGRESS_H_
