// client/tools/command_input.h
//
// CommandInputState: what a program has given to a remote command and the connection has not taken
// yet.

#ifndef KINFORMER_CLIENT_TOOLS_COMMAND_INPUT_H_
#define KINFORMER_CLIENT_TOOLS_COMMAND_INPUT_H_

#include <functional>
#include <optional>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/remote_command.h"

#include "base/core/mutex.h"
#include "client/tools/outgoing_bytes.h"

namespace kinformer::internal::client {

// Thread-safe.
class CommandInputState {
 public:
  explicit CommandInputState(Env& env) : text_(env, "the command") {}

  // ---- The program's side: see CommandInput.
  Result<void> Write(std::string_view text);
  void Close();
  void Resize(TerminalSize size);

  // ---- The connection's side.
  // Begins to call `wake`, from any thread, when there is something to take. kInvalidArgument: it
  // belongs to a command already.
  Result<void> Attach(std::function<void()> wake);
  [[nodiscard]] OutgoingBytes& text() { return text_; }
  std::optional<TerminalSize> TakeSize();
  // Returns true once, when the text has been taken and the program has closed its input.
  bool TakeEnd();
  // Ends everything: the command is over.
  void End();

 private:
  void Wake();

  OutgoingBytes text_;
  base::Mutex mutex_;
  std::function<void()> wake_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<TerminalSize> size_ KINFORMER_GUARDED_BY(mutex_);
  bool attached_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool end_taken_ KINFORMER_GUARDED_BY(mutex_) = false;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TOOLS_COMMAND_INPUT_H_
