#include "controller/webhook/pending_answer.h"

#include <utility>

namespace kinformer::internal::webhook {

void PendingAnswer::Place::Put(HttpAnswer answer) {
  put_ = true;
  status_ = answer.status;
  headers_.Add("Content-Type", answer.content_type);
  headers_.Add("Content-Length", std::to_string(answer.body.size()));
  body_ = std::make_shared<const std::string>(std::move(answer.body));
  if (wake_) wake_();
}

ResponseStream::State PendingAnswer::Read(std::size_t max_bytes, std::vector<BodyChunk>& out) {
  if (!place_->put_) return State::kWait;
  const std::shared_ptr<const std::string>& body = place_->body_;
  const std::string_view part = std::string_view(*body).substr(offset_, max_bytes);
  if (!part.empty()) out.push_back({.bytes = part, .owner = body});
  offset_ += part.size();
  return offset_ == body->size() ? State::kEnd : State::kMore;
}

}  // namespace kinformer::internal::webhook
