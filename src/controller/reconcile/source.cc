#include "kinformer/controller/source.h"

#include "base/core/deadline.h"

namespace kinformer::source {
namespace {

using kinformer::internal::base::After;

class Ticking : public std::enable_shared_from_this<Ticking> {
 public:
  Ticking(Env& env, Duration period, std::function<void()> tick)
      : env_(env), period_(period), tick_(std::move(tick)), monitor_(env.NewMonitor()) {}

  void Tick() {
    MonitorLock lock(*monitor_);
    if (stopped_) return;
    tick_();
    timer_ = env_.loop().RunAt(After(env_.Now(), period_), [weak = weak_from_this()] {
      if (const std::shared_ptr<Ticking> self = weak.lock()) self->Tick();
    });
  }
  void Stop() {
    MonitorLock lock(*monitor_);
    stopped_ = true;
    timer_.Cancel();
  }

 private:
  Env& env_;
  const Duration period_;
  const std::function<void()> tick_;
  const std::unique_ptr<Monitor> monitor_;
  bool stopped_ = false;
  Timer timer_;
};

}  // namespace

std::shared_ptr<void> internal::StartTicking(Env& env, Duration period,
                                             std::function<void()> tick) {
  auto ticking = std::make_shared<Ticking>(env, period, std::move(tick));
  ticking->Tick();
  Ticking* const raw = ticking.get();
  return {raw, [ticking](Ticking* /*same*/) { ticking->Stop(); }};
}

template class internal::KindSource<Request>;

}  // namespace kinformer::source
