// kinformer/client/body_stream.h
//
// BodyStream: a request's body that a function of the program gives piece by piece.
//
//   const std::string name = "backup.tar";
//   BodyStream body;
//   body.open = [name]() -> Result<BodyStream::Read> {  // for each attempt
//     auto file = std::make_shared<std::ifstream>(name, std::ios::binary);
//     return BodyStream::Read([file]() -> Result<std::string> {
//       std::string piece(65536, '\0');
//       file->read(piece.data(), static_cast<std::streamsize>(piece.size()));
//       piece.resize(static_cast<std::size_t>(file->gcount()));
//       return piece;
//     });
//   };
//   Result<RestResponse> sent = core.Post().AbsPath("/upload").Body(body).Do();

#ifndef KINFORMER_CLIENT_BODY_STREAM_H_
#define KINFORMER_CLIENT_BODY_STREAM_H_

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/result.h"

namespace kinformer {

// Set one of `read` and `open`. Counterpart: the io.Reader that Request.Body takes.
//
// The functions may block, and are called one at a time: in a blocking call on its own thread, in a
// task where that runs, and on env().pool() if that is a loop. They are called no faster than the
// connection takes the bytes: less than 256 KiB and one piece wait. While one of them works,
// Stream's function is not called.
//
// An error that they return ends the request with it, and so does an exception, which is logged and
// counted. The end of a request (by its answer, a deadline or a stop request) does not interrupt a
// function, which is then called no more: a blocking call returns when the function has; an
// AsyncCall ends at once, and so the functions must own what they use.
struct BodyStream {
  // Returns the next piece; an empty one ends the body.
  using Read = std::function<Result<std::string>()>;
  // Gives a body that can be read once. Such a request is sent once: where others are sent again (a
  // 429 or 5xx with Retry-After, a 401 with fresh credentials, a connection that broke), its error
  // says that it was not.
  Read read{};
  // Begins a body that can be read from its beginning again: called for each attempt.
  std::function<Result<Read>()> open{};
  // Size of the whole body, sent as Content-Length. It is an error if the body has another size.
  // Without it HTTP/1.1 sends chunks.
  std::optional<std::uint64_t> size{};

  // Returns the rest of a std::istream, which must not be used elsewhere meanwhile. If it can seek,
  // its size is known, and each attempt begins where it stands now.
  static BodyStream Of(std::shared_ptr<std::istream> stream);
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_BODY_STREAM_H_
