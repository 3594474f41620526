#include "http/answer.h"

#include <algorithm>
#include <utility>

#include "base/core/user_call.h"
#include "base/core/work_slice.h"
#include "base/text/number_in.h"
#include "transport/contained_handler.h"

namespace kinformer::internal::http {
namespace {

using base::WorkSlice;

bool AcceptsGzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    std::string_view item = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(accept_encoding.size(), item.size() + 1));
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    if (item == "gzip" || (item.starts_with("gzip;") && item.find("q=0") == item.npos)) return true;
  }
  return false;
}

}  // namespace

AnswerTraits TraitsOf(ConnectionHost& host, const HttpRequest& request) {
  AnswerTraits traits{.head_request = request.method == "HEAD"};
  if (AcceptsGzip(request.headers.Get("Accept-Encoding"))) {
    traits.compression = host.policy().CompressionOf(request);
  }
  return traits;
}

std::unique_ptr<ResponseStream> RefuseBody(ConnectionHost& host) {
  return host.policy().Refuse(
      413, "Request entity too large: limit is " + std::to_string(host.options().max_body_bytes));
}

std::unique_ptr<ResponseStream> RefuseHeaders(ConnectionHost& host) {
  return host.policy().Refuse(431, "request headers are longer than " +
                                       std::to_string(host.options().max_header_bytes) + " bytes");
}

std::unique_ptr<ResponseStream> AdmitHead(ConnectionHost& host, const PeerIdentity& peer,
                                          HttpRequest& request) {
  host.CountRequest();
  return host.policy().Admit(peer, request);
}

std::unique_ptr<ResponseStream> GateOf(ConnectionHost& host, const HttpRequest& request) {
  if (host.head_judge() == nullptr) return nullptr;
  std::unique_ptr<ResponseStream> gate;
  const Result<void> judged = base::CallUser(host.env(), "Handler::JudgeHead",
                                             [&] { gate = host.head_judge()->JudgeHead(request); });
  if (!judged) return host.policy().Refuse(500, "the handler has thrown an exception");
  return gate;
}

std::unique_ptr<ResponseStream> Dispatch(ConnectionHost& host, HttpRequest request) {
  auto response = transport::HandleContained(host.env(), host.handler(), std::move(request));
  if (response != nullptr) return response;
  return host.policy().Refuse(500, "the handler gave no response");
}

Answer::Answer(ConnectionHost& host, AnswerTraits traits, std::unique_ptr<ResponseStream> response)
    : host_(host), traits_(traits), response_(std::move(response)) {}

// The server frames the body, so such headers of the handler are not sent.
bool Answer::IsFraming(std::string_view name) {
  return SameFieldName(name, "Content-Length") || SameFieldName(name, "Transfer-Encoding") ||
         SameFieldName(name, "Connection") || SameFieldName(name, "Keep-Alive") ||
         SameFieldName(name, "Upgrade");
}

Answer::State Answer::Pull(std::size_t max_bytes, std::vector<BodyChunk>& out) {
  if (!begun_) return Begin(max_bytes, out);
  if (bodiless_) return State::kEnd;
  const State state = Read(max_bytes, out);
  if (compressed_) Compress(state, out);
  return state;
}

Answer::State Answer::Read(std::size_t max_bytes, std::vector<BodyChunk>& out) {
  auto state = State::kMore;
  std::size_t total = 0;
  const WorkSlice turn(host_.env());
  while (state == State::kMore && total < max_bytes) {
    const std::size_t first = out.size();
    state = response_->Read(max_bytes - total, out);
    if (out.size() == first) break;  // the response needs another turn
    for (std::size_t i = first; i < out.size(); ++i) total += out[i].bytes.size();
    if (turn.over()) break;
  }
  return state;
}

Answer::State Answer::Begin(std::size_t max_bytes, std::vector<BodyChunk>& out) {
  // Collects data until it is clear whether the body is short or long, since a short body gets a
  // Content-Length and only a long one is worth compressing. Status and headers are read before any
  // data of the body is: if one of the two throws, the client receives a complete response with
  // status 500 in place of this one.
  if (response_->status() == kSwitchingProtocols && !traits_.upgrades) {
    response_ = host_.policy().Refuse(
        400,
        "Upgrade request required: this needs HTTP/1.1 and the headers Connection: Upgrade "
        "and Upgrade: websocket");
  }
  headers_ = &response_->headers();
  const bool encoded = headers_->Has("Content-Encoding");
  const bool may_compress = traits_.compression == Compression::kIfLong && !encoded &&
                            response_->status() != kSwitchingProtocols;
  const std::size_t threshold = host_.options().gzip_above_bytes;
  const std::size_t enough = may_compress ? std::max(max_bytes, threshold + 1) : max_bytes;
  const std::size_t first = early_.size();
  const State state = Read(enough - early_bytes_, early_);
  for (std::size_t i = first; i < early_.size(); ++i) early_bytes_ += early_[i].bytes.size();
  headers_ = &response_->headers();
  const std::size_t total = early_bytes_;
  if (state == State::kAbort && total == 0) return state;
  const bool goes_on =
      state == State::kMore || (state == State::kWait && response_->resumes_soon());
  if (goes_on && total < enough) return state;
  if (out.empty()) {
    out = std::move(early_);
  } else {
    out.insert(out.end(), std::make_move_iterator(early_.begin()),
               std::make_move_iterator(early_.end()));
  }
  early_ = {};
  begun_ = true;
  status_ = response_->status();
  bodiless_ = traits_.head_request || status_ == 204 || status_ == 304 ||
              (status_ < 200 && status_ != kSwitchingProtocols);
  if (bodiless_) {
    if (traits_.head_request) {
      length_ = base::NumberIn<std::size_t>(headers_->Get("Content-Length"));
      if (!length_ && state == State::kEnd) length_ = total;
    }
    out.clear();
    return State::kEnd;
  }
  const bool members = traits_.compression == Compression::kMembers && !encoded && status_ == 200;
  compressed_ = members || (may_compress && total > threshold);
  if (!compressed_) {
    if (state == State::kEnd) length_ = total;
    return state;
  }
  if (!members) gzip_ = std::make_unique<GzipDeflater>();
  Compress(state, out);
  return state;
}

void Answer::Compress(State state, std::vector<BodyChunk>& out) {
  using Flush = GzipDeflater::Flush;
  std::string packed;
  if (gzip_ == nullptr) {
    CompressMember(state, out, packed);
  } else {
    for (const BodyChunk& chunk : out) gzip_->Deflate(chunk.bytes, Flush::kNo, packed);
    if (state == State::kEnd) gzip_->Deflate({}, Flush::kFinish, packed);
    if (state == State::kWait) gzip_->Deflate({}, Flush::kSync, packed);
  }
  out.clear();
  if (!packed.empty()) out.push_back(BodyChunk::Of(std::move(packed)));
}

// Go's reader delivers the end of a member only after the next header, so that header is sent at
// once, before its data, and the last member is empty.
void Answer::CompressMember(State state, const std::vector<BodyChunk>& chunks,
                            std::string& packed) {
  using Flush = GzipDeflater::Flush;
  if (chunks.empty() && state != State::kEnd) return;
  GzipDeflater& members = host_.scratch().members;
  members.Restart();
  for (const BodyChunk& chunk : chunks) members.Deflate(chunk.bytes, Flush::kNo, packed);
  members.Deflate({}, Flush::kFinish, packed);
  if (std::exchange(member_header_sent_, true)) packed.erase(0, GzipDeflater::kHeaderBytes);
  if (chunks.empty()) return;
  members.Restart();
  std::string empty;
  members.Deflate({}, Flush::kFinish, empty);
  if (state != State::kEnd) empty.resize(GzipDeflater::kHeaderBytes);
  packed += empty;
}

}  // namespace kinformer::internal::http
