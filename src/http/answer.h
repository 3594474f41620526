// http/answer.h
//
// Answer: the answer to one request, as every HTTP version sends it: what goes into its head,
// whether its body is compressed, and its body, pulled.

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

#include "kinformer/transport.h"

#include "http/connection.h"
#include "http/field_names.h"
#include "http/gzip_deflater.h"

namespace kinformer::internal::http {

// What the request says about the form of its answer.
struct AnswerTraits {
  bool head_request = false;
  Compression compression = Compression::kNone;
};
AnswerTraits TraitsOf(ConnectionHost& host, const HttpRequest& request);

// At the end of its head, whether a body follows or not: counts the request, and has who is let in
// decided. Null: it is; else the answer that refuses it. `request` has no body yet.
std::unique_ptr<ResponseStream> AdmitHead(ConnectionHost& host, const std::string& certificate_user,
                                          HttpRequest& request);
// Where a body follows: what the handler says to that. Null: it may come. Else a gate before it,
// which is to become ready: with kContinue it opens, with another status it is the answer.
std::unique_ptr<ResponseStream> GateOf(ConnectionHost& host, const HttpRequest& request);
[[nodiscard]] inline bool Opens(const ResponseStream& gate) {
  return gate.status() == transport::HeadJudge::kContinue;
}
// Has the handler answer a request that is let in.
std::unique_ptr<ResponseStream> Dispatch(ConnectionHost& host, HttpRequest request);
// Refuses a request whose body, or whose headers, are too long.
std::unique_ptr<ResponseStream> RefuseBody(ConnectionHost& host);
std::unique_ptr<ResponseStream> RefuseHeaders(ConnectionHost& host);

// Loop-confined.
class Answer {
 public:
  using State = ResponseStream::State;

  Answer(ConnectionHost& host, AnswerTraits traits, std::unique_ptr<ResponseStream> response);

  // As of the response, and instead of what it was told before.
  void SetWake(std::function<void()> wake) {
    if (response_ != nullptr) response_->SetWake(std::move(wake));
  }
  [[nodiscard]] bool ready() const { return response_ == nullptr || response_->ready(); }
  // What it does to its connection.
  [[nodiscard]] ConnectionEffect effect() const {
    return response_ == nullptr ? ConnectionEffect{} : response_->effect();
  }
  // The next part of the body, about `max_bytes` of it; the first may be longer, since the head
  // depends on it. kMore without anything: others should have their turn before the next Pull.
  // kWait: the response will wake whoever pulls, and the answer may not have begun.
  // REQUIRES: ready().
  State Pull(std::size_t max_bytes, std::vector<BodyChunk>& out);

  // ---- The head, known once it has begun, which the first Pull may not achieve, or never, if the
  // answer is aborted before.
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] std::string_view content_type() const { return headers_->Get("Content-Type"); }
  // No body follows, whatever the length says.
  [[nodiscard]] bool bodiless() const { return bodiless_; }
  [[nodiscard]] std::optional<std::size_t> length() const { return length_; }
  // All fields but those that frame the body.
  template <class Field>
  void ForEachField(const Field& field) const {
    bool date = false;
    for (const auto& [name, value] : *headers_) {
      if (IsFraming(name)) continue;
      // A line break in a value would let it write headers of its own.
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
  const HttpHeaders* headers_ = nullptr;  // the response's
  std::vector<BodyChunk> early_{};        // what came before the head was decided
  std::size_t early_bytes_ = 0;
  std::unique_ptr<GzipDeflater> gzip_{};
  std::optional<std::size_t> length_{};
  int status_ = 0;
  bool begun_ = false;
  bool bodiless_ = false;
  bool compressed_ = false;
  bool member_header_sent_ = false;  // of the gzip member that comes next
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_ANSWER_H_
