#include "transport/contained_handler.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "base/core/user_call.h"
#include "transport/head_keeper.h"
#include "transport/responses.h"

namespace kinformer::internal::transport {
namespace {

// Limit for logged paths, which can be as long as a head and are kept as long as a watch.
constexpr std::size_t kMostOfPath = 200;

// Returns method and path, without the query, which may contain secrets.
std::string NameOf(const HttpRequest& request) {
  const std::size_t end = request.target.find('?');
  return request.method + " " + request.target.substr(0, std::min(end, kMostOfPath));
}

std::unique_ptr<ResponseStream> ServerError() {
  HttpHeaders headers;
  headers.Add("Content-Type", "text/plain; charset=utf-8");
  return std::make_unique<WholeBody>(500, std::move(headers),
                                     "what answers this request has thrown an exception\n");
}

// Loop-confined.
class ContainedResponse final : public ResponseStream, public HeadKeeper {
 public:
  ContainedResponse(Env& env, std::string of, std::unique_ptr<ResponseStream> inner)
      : env_(env), of_(std::move(of)), inner_(std::move(inner)) {}

  [[nodiscard]] bool ready() const override {
    bool ready = true;
    if (!Unable()) (void)Try("ready", [&] { ready = inner_->ready(); });
    return ready;
  }
  [[nodiscard]] int status() const override {
    if (!Unable() && Try("status", [&] { status_ = inner_->status(); })) return status_;
    return begun_ ? status_ : instead_->status();
  }
  [[nodiscard]] const HttpHeaders& headers() const override {
    if (!Unable() && Try("headers", [&] { headers_ = &inner_->headers(); })) return *headers_;
    return begun_ && headers_ != nullptr ? *headers_ : instead_->headers();
  }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    const std::size_t first = out.size();
    State state = State::kAbort;
    if (!Unable()) {
      const bool read = Try("Read", [&] { state = inner_->Read(max_bytes, out); });
      begun_ = begun_ || out.size() > first;
      if (read) return state;
      out.resize(first);
    }
    return begun_ ? State::kAbort : instead_->Read(max_bytes, out);
  }
  void SetWake(std::function<void()> wake) override {
    if (!Unable()) (void)Try("SetWake", [&] { inner_->SetWake(std::move(wake)); });
  }
  void Receive(std::string_view bytes) override {
    if (!Unable()) (void)Try("Receive", [&] { inner_->Receive(bytes); });
  }
  [[nodiscard]] bool receives() const override {
    bool receives = true;
    if (!Unable()) (void)Try("receives", [&] { receives = inner_->receives(); });
    return receives;
  }
  void ReleaseHead() override {
    if (Unable()) return;
    headers_ = nullptr;
    transport::ReleaseHead(*inner_);
  }
  [[nodiscard]] bool resumes_soon() const override {
    bool soon = false;
    if (!Unable()) (void)Call("resumes_soon", [&] { soon = inner_->resumes_soon(); });
    return soon;
  }
  [[nodiscard]] ConnectionEffect effect() const override {
    ConnectionEffect effect;
    if (!Unable()) (void)Call("effect", [&] { effect = inner_->effect(); });
    return effect;
  }

 private:
  [[nodiscard]] bool Unable() const { return instead_ != nullptr; }
  // Returns false after an exception.
  template <class Body>
  bool Call(const char* method, const Body& body) const {
    try {
      body();
      return true;
    } catch (...) {
      (void)base::ReportThrown(env_, std::string("ResponseStream::") + method, of_);
      return false;
    }
  }
  // Like Call, for methods that are essential: after an exception `inner_` is not called again. It
  // is not destroyed here, because it may be the caller.
  template <class Body>
  bool Try(const char* method, const Body& body) const {
    if (Call(method, body)) return true;
    instead_ = ServerError();
    return false;
  }

  Env& env_;
  const std::string of_;
  const std::unique_ptr<ResponseStream> inner_;
  bool begun_ = false;  // part of the body has been read
  // Last values from inner_.
  mutable int status_ = 200;
  mutable const HttpHeaders* headers_ = nullptr;
  mutable std::unique_ptr<ResponseStream> instead_{};
};

}  // namespace

std::unique_ptr<ResponseStream> Contained(Env& env, std::string of,
                                          std::unique_ptr<ResponseStream> response) {
  if (response == nullptr) return nullptr;
  return std::make_unique<ContainedResponse>(env, std::move(of), std::move(response));
}

std::unique_ptr<ResponseStream> HandleContained(Env& env, Handler& handler, HttpRequest request) {
  std::string of = NameOf(request);
  std::unique_ptr<ResponseStream> response;
  const Result<void> called = base::CallUser(
      env, "Handler::Handle", [&] { response = handler.Handle(std::move(request)); },
      [&] { return of; });
  if (!called) return ServerError();
  return Contained(env, std::move(of), std::move(response));
}

bool AcceptsContained(Env& env, const Handler& handler, const std::string& bearer_token) {
  try {
    return handler.Accepts(bearer_token);
  } catch (...) {
    // The text of the exception may contain the token.
    base::ReportThrownText(env, "Handler::Accepts", {}, "an exception; its text is not shown");
    return false;
  }
}

}  // namespace kinformer::internal::transport
