#include "apiserver/request/responses.h"

#include <optional>
#include <set>

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/errors/status.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/request/object_encoder.h"
#include "base/core/http_code.h"
#include "transport/head_keeper.h"

namespace kinformer::apiserver {

using internal::transport::HeadKeeper;
using internal::transport::WholeBody;

namespace {

class VersionWait final : public Deferred {
 public:
  VersionWait(ServerState& state, std::int64_t version, Duration limit,
              std::function<ResponsePtr(bool)> answer)
      : state_(state), answer_(std::move(answer)) {
    wait_ = state_.WaitFor(version, [this] { Answer(true); });
    deadline_ = state_.deadlines.Add(state_.env.Now() + limit, [this] { Answer(false); });
  }
  ~VersionWait() override { Cancel(); }

 private:
  void Cancel() {
    state_.CancelWait(wait_);
    state_.deadlines.Remove(deadline_);
  }
  void Answer(bool reached) {
    Cancel();
    Begin(answer_(reached));
  }

  ServerState& state_;
  std::function<ResponsePtr(bool)> answer_;
  ServerState::WaitId wait_;
  Deadlines::Id deadline_;
};

class Delay final : public Deferred {
 public:
  Delay(ServerState& state, Duration delay, std::function<ResponsePtr()> answer) : state_(state) {
    deadline_ = state_.deadlines.Add(state_.env.Now() + delay,
                                     [this, make = std::move(answer)] { Begin(make()); });
  }
  ~Delay() override { state_.deadlines.Remove(deadline_); }

 private:
  ServerState& state_;
  Deadlines::Id deadline_;
};

// Adds one header to a response.
class WithHeader final : public ResponseStream, public HeadKeeper {
 public:
  // `name` must outlive it.
  WithHeader(ResponsePtr inner, std::string_view name, std::string value)
      : inner_(std::move(inner)), name_(name), value_(std::move(value)) {}

  [[nodiscard]] bool ready() const override { return inner_->ready(); }
  [[nodiscard]] int status() const override { return inner_->status(); }
  // The headers of `inner_` are known only once it is ready.
  [[nodiscard]] const HttpHeaders& headers() const override {
    if (!headers_) headers_.emplace(inner_->headers()).Add(name_, value_);
    return *headers_;
  }
  void SetWake(std::function<void()> wake) override { inner_->SetWake(std::move(wake)); }
  [[nodiscard]] ConnectionEffect effect() const override { return inner_->effect(); }
  [[nodiscard]] bool resumes_soon() const override { return inner_->resumes_soon(); }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    return inner_->Read(max_bytes, out);
  }
  void Receive(std::string_view bytes) override { inner_->Receive(bytes); }
  [[nodiscard]] bool receives() const override { return inner_->receives(); }
  void ReleaseHead() override {
    headers_.reset();
    value_ = std::string();
    internal::transport::ReleaseHead(*inner_);
  }

 private:
  ResponsePtr inner_;
  const std::string_view name_;
  std::string value_;
  mutable std::optional<HttpHeaders> headers_;
};

constexpr std::size_t kMaxWarningBytes = 4096;
// Reserved for the last warning.
constexpr std::size_t kLastWarningBytes = 64;

// A quoted string of HTTP, which has no escapes but these, and no line breaks.
std::string WarningText(std::string_view text) {
  std::string out = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out + '"';
}

// Returns warnings as header values, each once, up to the size limit. Does not look at those beyond
// it: a body of a hundred thousand unknown fields has as many.
std::vector<std::string> WarningTexts(const std::vector<std::string>& warnings) {
  std::vector<std::string> texts;
  std::set<std::string_view> seen;
  std::size_t bytes = 0;
  std::size_t looked_at = 0;
  for (; looked_at < warnings.size(); ++looked_at) {
    if (!seen.insert(warnings[looked_at]).second) continue;
    std::string text = WarningText(warnings[looked_at]);
    bytes += text.size();
    if (bytes > kMaxWarningBytes - kLastWarningBytes) break;
    texts.push_back(std::move(text));
  }
  if (const std::size_t more = warnings.size() - looked_at; more > 0) {
    texts.push_back(
        WarningText(std::to_string(more) + (more == 1 ? " more warning" : " more warnings")));
  }
  return texts;
}

ResponsePtr Add(ResponsePtr inner, std::string_view name, std::string value) {
  if (auto* whole = dynamic_cast<WholeBody*>(inner.get())) {
    whole->AddHeader(name, value);
    return inner;
  }
  return std::make_unique<WithHeader>(std::move(inner), name, std::move(value));
}

}  // namespace

ResponsePtr WholeResponse(int status, HttpHeaders headers, std::string body) {
  if (!headers.Has("Cache-Control")) headers.Add("Cache-Control", "no-cache, private");
  headers.Add("Content-Length", std::to_string(body.size()));
  return std::make_unique<WholeBody>(status, std::move(headers), std::move(body));
}

ResponsePtr WholeResponse(int status, std::string_view content_type, std::string body) {
  HttpHeaders headers;
  headers.Add("Content-Type", content_type);
  return WholeResponse(status, std::move(headers), std::move(body));
}

ResponsePtr ErrorResponse(const Error& error, std::string_view accept) {
  // A client that accepts no known format is probably a person: pretty JSON.
  const OutputFormat format = Negotiate(accept, {.protobuf = true, .transforms = false})
                                  .value_or(OutputFormat{.pretty = true});
  HttpHeaders headers;
  headers.Add("Content-Type", ContentTypeOf(format, false));
  if (error.retry_after()) headers.Add("Retry-After", std::to_string(error.retry_after()->count()));
  return WholeResponse(internal::base::HttpCode(error), std::move(headers),
                       format.media == MediaType::kProtobuf
                           ? Envelope("v1", "Status", StatusProtobuf(error))
                           : Render(format, StatusJson(error)));
}

ResponsePtr WhenVersionReached(ServerState& state, std::int64_t version, Duration limit,
                               std::function<ResponsePtr(bool)> answer) {
  return std::make_unique<VersionWait>(state, version, limit, std::move(answer));
}

ResponsePtr Delayed(ServerState& state, Duration delay, std::function<ResponsePtr()> answer) {
  return std::make_unique<Delay>(state, delay, std::move(answer));
}

ResponsePtr Audited(ResponsePtr inner, std::string id) {
  return Add(std::move(inner), "Audit-Id", std::move(id));
}

ResponsePtr WithAddedHeader(ResponsePtr inner, std::string_view name, std::string value) {
  return Add(std::move(inner), name, std::move(value));
}

ResponsePtr Warning(ResponsePtr inner, std::string_view text) {
  return Add(std::move(inner), "Warning", WarningText(text));
}

void AddWarnings(const std::vector<std::string>& warnings, HttpHeaders& headers) {
  for (const std::string& text : WarningTexts(warnings)) headers.Add("Warning", text);
}

ResponsePtr Warned(ResponsePtr inner, const std::vector<std::string>& warnings) {
  for (std::string& text : WarningTexts(warnings)) {
    inner = Add(std::move(inner), "Warning", std::move(text));
  }
  return inner;
}

}  // namespace kinformer::apiserver
