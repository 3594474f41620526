// client/tools/outgoing_bytes.h
//
// OutgoingBytes: bytes that threads of the program have written and a connection has not taken yet.

#ifndef KINFORMER_CLIENT_TOOLS_OUTGOING_BYTES_H_
#define KINFORMER_CLIENT_TOOLS_OUTGOING_BYTES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

namespace kinformer::internal::client {

// Thread-safe. `reader` names the one who takes them, in errors: "the command".
class OutgoingBytes {
 public:
  OutgoingBytes(Env& env, std::string reader)
      : env_(env), reader_(std::move(reader)), monitor_(env.NewMonitor()) {}

  // Adds bytes. Waits while more than a megabyte is there; kWouldDeadlock on a loop, where nothing
  // is added then. kStopped after Close and End.
  Result<void> Write(std::string_view bytes);
  // Ends writing. What is there may still be taken.
  void Close();
  // Ends everything: nobody takes them any more.
  void End();

  // Takes at most so many.
  std::string Take(std::size_t most);
  // Returns true after Close once everything has been taken.
  [[nodiscard]] bool AtEnd() const;

 private:
  Env& env_;
  const std::string reader_;
  const std::unique_ptr<Monitor> monitor_;
  // Guarded by monitor_.
  std::string bytes_{};
  bool closed_ = false;
  bool over_ = false;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TOOLS_OUTGOING_BYTES_H_
