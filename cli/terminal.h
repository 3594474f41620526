// cli/terminal.h
//
// The terminal of this program, as the remote one of a command: raw keys, and its size.

#ifndef KINFORMER_CLI_TERMINAL_H_
#define KINFORMER_CLI_TERMINAL_H_

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "kinformer/client/remote_command.h"

namespace kinformer::cli {

// Whether standard input is a terminal.
bool InputIsTerminal();

// Returns the size of the terminal that standard output or input is; nothing if neither is one.
std::optional<TerminalSize> CurrentTerminalSize();

// Passes on each key as it is, instead of lines, while it lives. Does nothing if standard input is
// no terminal. The settings from before come back with the destructor.
class RawTerminal {
 public:
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads standard input, and notes changes of the terminal's size, on a thread of its own while it
// lives.
class TerminalReader {
 public:
  // `on_text` gets what is read, and returns false to end; `on_end`: standard input has ended.
  // `on_resize` is called with each new size, and once at the beginning. Null functions are not
  // called, and without on_text nothing is read.
  TerminalReader(std::function<bool(std::string_view text)> on_text, std::function<void()> on_end,
                 std::function<void(TerminalSize size)> on_resize);
  ~TerminalReader();
  TerminalReader(const TerminalReader&) = delete;
  TerminalReader& operator=(const TerminalReader&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_TERMINAL_H_
