// client/tools/command_input.h
//
// CommandInputState: what a program has given to a remote command and the connection has not taken
// yet.

#ifndef KINFORMER_CLIENT_TOOLS_COMMAND_INPUT_H_
#define KINFORMER_CLIENT_TOOLS_COMMAND_INPUT_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/remote_command.h"

namespace kinformer::internal::client {

// Thread-safe.
class CommandInputState {
 public:
  explicit CommandInputState(Env& env) : env_(env), monitor_(env.NewMonitor()) {}

  // ---- The program's side: see CommandInput.
  Result<void> Write(std::string_view text);
  void Close();
  void Resize(TerminalSize size);

  // ---- The connection's side.
  // Begins to call `wake`, from any thread, when there is something to take. kInvalidArgument: it
  // belongs to a command already.
  Result<void> Attach(std::function<void()> wake);
  // Takes at most so much of the text.
  std::string Take(std::size_t most);
  std::optional<TerminalSize> TakeSize();
  // Returns true once, when the text has been taken and the program has closed its input.
  bool TakeEnd();
  // Ends everything: the command is over.
  void End();

 private:
  Env& env_;
  const std::unique_ptr<Monitor> monitor_;
  // Guarded by monitor_.
  std::function<void()> wake_{};
  std::string text_{};
  std::optional<TerminalSize> size_{};
  bool attached_ = false;
  bool closed_ = false;
  bool end_taken_ = false;
  bool over_ = false;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TOOLS_COMMAND_INPUT_H_
