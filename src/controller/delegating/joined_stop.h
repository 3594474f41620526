// controller/delegating/joined_stop.h

#ifndef KINFORMER_CONTROLLER_DELEGATING_JOINED_STOP_H_
#define KINFORMER_CONTROLLER_DELEGATING_JOINED_STOP_H_

#include <functional>
#include <optional>
#include <stop_token>

namespace kinformer::internal::delegating {

// A token that is stopped when either of two tokens is. Must live as long as its users wait.
class JoinedStop {
 public:
  JoinedStop(const std::stop_token& a, const std::stop_token& b)
      : token_(a.stop_possible() ? a : b) {
    if (!a.stop_possible() || !b.stop_possible()) return;
    token_ = source_.emplace().get_token();
    on_a_.emplace(a, [this] { source_->request_stop(); });
    on_b_.emplace(b, [this] { source_->request_stop(); });
  }
  JoinedStop(const JoinedStop&) = delete;
  JoinedStop& operator=(const JoinedStop&) = delete;

  [[nodiscard]] const std::stop_token& token() const { return token_; }

 private:
  using OnStop = std::stop_callback<std::function<void()>>;

  std::stop_token token_;
  std::optional<std::stop_source> source_;
  std::optional<OnStop> on_a_;
  std::optional<OnStop> on_b_;
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_JOINED_STOP_H_
