// http/answer.h
//
// Answer: the response to one request, as all HTTP versions send it: decides on headers and
// compression, and pulls the body.

#ifndef KINFORMER_HTTP_ANSWER_H_
#define KINFORMER_HTTP_ANSWER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

#include "http/connection.h"
#include "http/field_names.h"
#include "http/gzip_deflater.h"
#include "transport/head_keeper.h"

namespace kinformer::internal::http {

inline constexpr int kSwitchingProtocols = 101;

// Properties of the request that decide the form of its response.
struct AnswerTraits {
  bool head_request = false;
  Compression compression = Compression::kNone;
  bool upgrades = false;  // an answer 101 may change to another protocol
};
AnswerTraits TraitsOf(ConnectionHost& host, const HttpRequest& request);

// Admits or refuses a request at the end of its head, whether a body follows or not, and counts it.
// Returns null if admitted, else the refusal. `request` has no body yet.
std::unique_ptr<ResponseStream> AdmitHead(ConnectionHost& host, const PeerIdentity& peer,
                                          HttpRequest& request);
// Asks the handler about a request with a body. Null: the body may be read. Else a gate: once it is
// ready, status kContinue lets the body in, and any other status is the response.
std::unique_ptr<ResponseStream> GateOf(ConnectionHost& host, const HttpRequest& request);
[[nodiscard]] inline bool Opens(const ResponseStream& gate) {
  return gate.status() == transport::HeadJudge::kContinue;
}
// Passes an admitted request to the handler.
std::unique_ptr<ResponseStream> Dispatch(ConnectionHost& host, HttpRequest request);
// Return the refusals for a body, and for headers, that are too long.
std::unique_ptr<ResponseStream> RefuseBody(ConnectionHost& host);
std::unique_ptr<ResponseStream> RefuseHeaders(ConnectionHost& host);

// Loop-confined.
class Answer {
 public:
  using State = ResponseStream::State;

  Answer(ConnectionHost& host, AnswerTraits traits, std::unique_ptr<ResponseStream> response);

  // Sets the callback of ResponseStream::SetWake, and replaces the previous one.
  void SetWake(std::function<void()> wake) {
    if (response_ != nullptr) response_->SetWake(std::move(wake));
  }
  // Passes on what the client has sent after an answer 101.
  void Receive(std::string_view bytes) {
    if (response_ != nullptr) response_->Receive(bytes);
  }
  [[nodiscard]] bool receives() const { return response_ == nullptr || response_->receives(); }
  [[nodiscard]] bool ready() const { return response_ == nullptr || response_->ready(); }
  // Effect of the response on its connection.
  [[nodiscard]] ConnectionEffect effect() const {
    return response_ == nullptr ? ConnectionEffect{} : response_->effect();
  }
  // Appends the next part of the body, about `max_bytes`; the first may be longer, since the head
  // depends on it. kMore without data: other connections should get a turn before the next Pull.
  // kWait: the response will call the wake function; the answer may not have begun yet. REQUIRES:
  // ready().
  State Pull(std::size_t max_bytes, std::vector<BodyChunk>& out);

  // ---- The head, valid once begun() is true. The first Pull may not suffice for that, and an
  // answer that is aborted early never begins.
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] int status() const { return status_; }
  // Frees the head's memory; the head is not read any more.
  void ReleaseHead() {
    headers_ = nullptr;
    if (response_ != nullptr) transport::ReleaseHead(*response_);
  }
  [[nodiscard]] std::string_view content_type() const { return headers_->Get("Content-Type"); }
  // Returns the protocol of an answer 101.
  [[nodiscard]] std::string_view protocol() const { return headers_->Get("Upgrade"); }
  // Whether no body follows, whatever length() is.
  [[nodiscard]] bool bodiless() const { return bodiless_; }
  [[nodiscard]] std::optional<std::size_t> length() const { return length_; }
  // Calls `field` for all headers except those that frame the body.
  template <class Field>
  void ForEachField(const Field& field) const {
    bool date = false;
    for (const auto& [name, value] : *headers_) {
      if (IsFraming(name)) continue;
      // A line break in a value could inject further headers.
      if (value.find_first_of("\r\n") != std::string::npos) continue;
      date = date || SameFieldName(name, "Date");
      field(std::string_view(name), std::string_view(value));
    }
    if (!date) field("Date", host_.Date());
    if (compressed_) {
      field("Content-Encoding", "gzip");
      field("Vary", "Accept-Encoding");
    }
  }

 private:
  static bool IsFraming(std::string_view name);
  State Begin(std::size_t max_bytes, std::vector<BodyChunk>& out);
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out);
  void Compress(State state, std::vector<BodyChunk>& out);
  void CompressMember(State state, const std::vector<BodyChunk>& chunks, std::string& packed);

  ConnectionHost& host_;
  const AnswerTraits traits_;
  std::unique_ptr<ResponseStream> response_;
  const HttpHeaders* headers_ = nullptr;  // of the response
  std::vector<BodyChunk> early_{};        // pulled before the head was decided
  std::size_t early_bytes_ = 0;
  std::unique_ptr<GzipDeflater> gzip_{};
  std::optional<std::size_t> length_{};
  int status_ = 0;
  bool begun_ = false;
  bool bodiless_ = false;
  bool compressed_ = false;
  bool member_header_sent_ = false;  // header of the next gzip member
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_ANSWER_H_
