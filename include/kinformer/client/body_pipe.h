// kinformer/client/body_pipe.h
//
// BodyPipe: a request's body that comes piece by piece, between the one who writes it and the
// transport that sends it. RestRequest::Body makes one of a BodyStream; programs meet it where they
// call a Transport themselves, or are one.
//
//   auto pipe = std::make_shared<BodyPipe>();
//   request.body_pipe = pipe;
//   call = transport.Start(std::move(request), receiver);
//   pipe->Write("first piece");
//   pipe->Close();

#ifndef KINFORMER_CLIENT_BODY_PIPE_H_
#define KINFORMER_CLIENT_BODY_PIPE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer {

// The body of one attempt to send a request: it cannot be sent twice. Thread-safe; no method
// blocks, nor calls a function of the other side while it holds a lock. Counterpart: io.Pipe.
class BodyPipe {
 public:
  // `size`: of the whole body, if it is known. Then it is sent as Content-Length, and a body that
  // is longer or shorter fails. Without it HTTP/1.1 sends chunks.
  explicit BodyPipe(std::optional<std::uint64_t> size = {});
  ~BodyPipe();
  BodyPipe(const BodyPipe&) = delete;
  BodyPipe& operator=(const BodyPipe&) = delete;

  [[nodiscard]] std::optional<std::uint64_t> size() const;

  // ---- The writer's side

  // Adds bytes, which are kept until they are sent. Dropped if the body has ended or nobody takes
  // it any more.
  void Write(std::string bytes);
  // Ends the body.
  void Close();
  // Ends the request with `why`: the rest of the body cannot be had.
  void Fail(Error why);
  // Returns true while less than 256 KiB wait, the body has not ended, and somebody takes it. A
  // writer that heeds this bounds the memory.
  [[nodiscard]] bool wants_more() const;
  // Sets the function that is called, on any thread, when wants_more becomes true again.
  void SetRoom(std::function<void()> room);

  // ---- The transport's side

  // Result of Take.
  struct Taken {
    std::size_t bytes{0};
    bool end{false};  // nothing follows
  };
  // Moves up to `size` bytes to `buffer`. Neither bytes nor the end: nothing is there yet, and
  // `wake` will be called. An error: see Fail.
  Result<Taken> Take(char* buffer, std::size_t size);
  // Sets the function that is called, on any thread, when Take has news after it had none.
  void SetWake(std::function<void()> wake);
  // Takes nothing more: the request is over. Forgets both functions.
  void Abandon();

 private:
  struct State;
  internal::Pimpl<State> state_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_BODY_PIPE_H_
