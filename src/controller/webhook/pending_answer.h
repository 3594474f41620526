// controller/webhook/pending_answer.h
//
// PendingAnswer: a response whose status and body are found out elsewhere, and come later.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_PENDING_ANSWER_H_
#define KINFORMER_CONTROLLER_WEBHOOK_PENDING_ANSWER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/transport.h"

namespace kinformer::internal::webhook {

// What a webhook says over HTTP.
struct HttpAnswer {
  int status = 200;
  std::string_view content_type = "application/json";  // a constant
  std::string body{};
};

// Loop-confined.
class PendingAnswer final : public ResponseStream {
 public:
  // Where the answer is put, by whoever has found it out; the stream may be gone by then.
  class Place {
   public:
    // On the loop, once.
    void Put(HttpAnswer answer);

   private:
    friend class PendingAnswer;
    bool put_ = false;
    int status_ = 0;
    HttpHeaders headers_{};
    std::shared_ptr<const std::string> body_{};
    std::function<void()> wake_{};
  };

  ~PendingAnswer() override { gone_.request_stop(); }

  [[nodiscard]] std::shared_ptr<Place> place() const { return place_; }
  // Stop is requested when the stream is gone.
  [[nodiscard]] std::stop_token gone() const { return gone_.get_token(); }

  [[nodiscard]] bool ready() const override { return place_->put_; }
  [[nodiscard]] int status() const override { return place_->status_; }
  [[nodiscard]] const HttpHeaders& headers() const override { return place_->headers_; }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override;
  void SetWake(std::function<void()> wake) override { place_->wake_ = std::move(wake); }

 private:
  const std::shared_ptr<Place> place_ = std::make_shared<Place>();
  std::stop_source gone_{};
  std::size_t offset_ = 0;
};

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_PENDING_ANSWER_H_
