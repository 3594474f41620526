// transport/responses.h
//
// Simple kinds of response: a complete body, and one that is not known yet.

#ifndef KINFORMER_TRANSPORT_RESPONSES_H_
#define KINFORMER_TRANSPORT_RESPONSES_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

namespace kinformer::internal::transport {

// A complete body in memory. Loop-confined.
class WholeBody final : public ResponseStream {
 public:
  WholeBody(int status, HttpHeaders headers, std::string body)
      : status_(status),
        headers_(std::move(headers)),
        body_(std::make_shared<const std::string>(std::move(body))) {}

  [[nodiscard]] int status() const override { return status_; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    const std::string_view part = std::string_view(*body_).substr(offset_, max_bytes);
    if (!part.empty()) out.push_back({.bytes = part, .owner = body_});
    offset_ += part.size();
    return offset_ == body_->size() ? State::kEnd : State::kMore;
  }
  void SetWake(std::function<void()>) override {}
  void AddHeader(std::string_view name, std::string_view value) { headers_.Add(name, value); }

 private:
  int status_;
  HttpHeaders headers_;
  std::shared_ptr<const std::string> body_;
  std::size_t offset_ = 0;
};

// Base class of responses that become known later. Loop-confined.
class Deferred : public ResponseStream {
 public:
  [[nodiscard]] bool ready() const override { return inner_ != nullptr && inner_->ready(); }
  [[nodiscard]] int status() const override { return inner_->status(); }
  [[nodiscard]] const HttpHeaders& headers() const override { return inner_->headers(); }
  [[nodiscard]] ConnectionEffect effect() const override {
    return inner_ == nullptr ? ConnectionEffect() : inner_->effect();
  }
  [[nodiscard]] bool resumes_soon() const override {
    return inner_ != nullptr && inner_->resumes_soon();
  }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    return ready() ? inner_->Read(max_bytes, out) : State::kWait;
  }
  void SetWake(std::function<void()> wake) override {
    wake_ = std::move(wake);
    if (inner_) inner_->SetWake(wake_);
  }
  void Receive(std::string_view bytes) override {
    if (inner_) inner_->Receive(bytes);
  }
  [[nodiscard]] bool receives() const override { return inner_ == nullptr || inner_->receives(); }

 protected:
  // Sets the response. It may itself become known later.
  void Begin(std::unique_ptr<ResponseStream> inner) {
    inner_ = std::move(inner);
    inner_->SetWake(wake_);
    if (inner_->ready() && wake_) wake_();
  }

 private:
  std::unique_ptr<ResponseStream> inner_;
  std::function<void()> wake_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_RESPONSES_H_
