// controller/webhook/pending_answer.h
//
// PendingAnswer: a response whose status and body are computed elsewhere and set later.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_PENDING_ANSWER_H_
#define KINFORMER_CONTROLLER_WEBHOOK_PENDING_ANSWER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/client/transport.h"

namespace kinformer::internal::webhook {

// HTTP response of a webhook.
struct HttpAnswer {
  int status = 200;
  std::string_view content_type = "application/json";  // must be a constant
  std::string body{};
};

// Loop-confined.
class PendingAnswer final : public ResponseStream {
 public:
  // Receives the answer from the code that computes it; the stream may be destroyed before that.
  class Place {
   public:
    // Call it once, on the loop.
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
  // A token that is stopped when the stream is destroyed.
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
