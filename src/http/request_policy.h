// http/request_policy.h
//
// RequestPolicy: what a server of ours has to know of its handler's protocol: whom to let in, what
// to compress, and how to say no.

#ifndef KINFORMER_HTTP_REQUEST_POLICY_H_
#define KINFORMER_HTTP_REQUEST_POLICY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/transport.h"

namespace kinformer::internal::http {

enum class Compression : std::uint8_t {
  kNone,
  kIfLong,
  // Each flush is a gzip member of its own, so that it can be read at once, and nothing is kept
  // in between.
  kMembers,
};

// How a body that is a sequence of messages separates them.
enum class MessageForm : std::uint8_t {
  kLine,          // each ends with a line break, which belongs to it
  kLengthBefore,  // its length stands before it in four bytes, big-endian
};

// Called on the loop.
class RequestPolicy {
 public:
  virtual ~RequestPolicy() = default;
  // Null: the request is let in, with request.user filled in where the caller has proven who it
  // is. Else the answer that refuses it. `certificate_user` is the common name of the caller's
  // certificate, or empty.
  [[nodiscard]] virtual std::unique_ptr<ResponseStream> Admit(const std::string& certificate_user,
                                                              HttpRequest& request) const = 0;
  // How the answer may be compressed, of a client that accepts gzip.
  [[nodiscard]] virtual Compression CompressionOf(const HttpRequest& request) const = 0;
  // Whether its answer, where that is 200, is a sequence of messages, which a WebSocket may carry
  // if the request asks for one; and how its body, of that content type, separates them.
  [[nodiscard]] virtual bool AnswersWithMessages(const HttpRequest& request) const = 0;
  [[nodiscard]] virtual MessageForm FormOf(std::string_view content_type) const = 0;
  // An answer of the server's own, with that status, which is an error.
  [[nodiscard]] virtual std::unique_ptr<ResponseStream> Refuse(int status,
                                                               std::string_view message) const = 0;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_REQUEST_POLICY_H_
