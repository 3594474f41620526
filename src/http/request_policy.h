// http/request_policy.h
//
// RequestPolicy: rules of the handler's protocol that the server must know: admission, compression,
// and the form of refusals.

#ifndef KINFORMER_HTTP_REQUEST_POLICY_H_
#define KINFORMER_HTTP_REQUEST_POLICY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/client/transport.h"

#include "http/peer_identity.h"

namespace kinformer::internal::http {

enum class Compression : std::uint8_t {
  kNone,
  kIfLong,
  // Each flush is a gzip member of its own, so that it can be decoded at once, and no state is kept
  // between members.
  kMembers,
};

// How messages in a body are separated.
enum class MessageForm : std::uint8_t {
  kLine,          // each ends with a line break, which is part of it
  kLengthBefore,  // each follows its length, four bytes, big-endian
};

// Called on the loop.
class RequestPolicy {
 public:
  virtual ~RequestPolicy() = default;
  // Returns null if the request is admitted, and sets request.user if the caller is authenticated.
  // Else returns the refusal.
  [[nodiscard]] virtual std::unique_ptr<ResponseStream> Admit(const PeerIdentity& peer,
                                                              HttpRequest& request) const = 0;
  // Returns how to compress the response for a client that accepts gzip.
  [[nodiscard]] virtual Compression CompressionOf(const HttpRequest& request) const = 0;
  // Returns whether a response with status 200 is a sequence of messages, which can be sent over a
  // WebSocket on request; FormOf returns how a body of that content type separates them.
  [[nodiscard]] virtual bool AnswersWithMessages(const HttpRequest& request) const = 0;
  [[nodiscard]] virtual MessageForm FormOf(std::string_view content_type) const = 0;
  // Returns an error response of the server itself.
  [[nodiscard]] virtual std::unique_ptr<ResponseStream> Refuse(int status,
                                                               std::string_view message) const = 0;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_REQUEST_POLICY_H_
