#include "apiserver/write/reshape_in_turns.h"

#include <utility>

#include "base/core/work_slice.h"

namespace kinformer::apiserver {
namespace {

class Reshaping final : public Deferred {
 public:
  Reshaping(ServerState& state, OffLoop& off_loop, std::shared_ptr<ReshapedObjects> objects,
            std::function<ResponsePtr()> then)
      : state_(state), off_loop_(off_loop), objects_(std::move(objects)), then_(std::move(then)) {
    Turn();
  }

 private:
  void Turn() {
    const internal::base::WorkSlice turn(state_.env);
    if (objects_->Collect(state_.resource_version, &turn)) return Shape();
    state_.Post([this, alive = std::weak_ptr<int>(alive_)] {
      if (!alive.expired()) Turn();
    });
  }

  void Shape() {
    under_way_ = off_loop_.Start([objects = objects_] { objects->Shape(); }, [this] { Shaped(); });
  }

  void Shaped() {
    // Stops catching up if writes are faster than this.
    constexpr int kRounds = 20;
    if (!OffLoop::IsMuch(objects_->BytesBehind()) || ++rounds_ == kRounds) return Begin(then_());
    objects_->CollectBehind();
    Shape();
  }

  ServerState& state_;
  OffLoop& off_loop_;
  const std::shared_ptr<ReshapedObjects> objects_;
  const std::function<ResponsePtr()> then_;
  OffLoop::Ticket under_way_{};
  int rounds_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace

ResponsePtr ReshapeInTurns(ServerState& state, OffLoop& off_loop,
                           std::shared_ptr<ReshapedObjects> objects,
                           std::function<ResponsePtr()> then) {
  return std::make_unique<Reshaping>(state, off_loop, std::move(objects), std::move(then));
}

}  // namespace kinformer::apiserver
