#include "apiserver/store/deadlines.h"

#include "base/core/work_slice.h"

namespace kinformer::apiserver {

Deadlines::Id Deadlines::Add(SteadyTime when, std::function<void()> run) {
  const Id id(when, next_++);
  entries_.emplace(id, std::move(run));
  Arm();
  return id;
}

void Deadlines::Remove(const Id& id) {
  entries_.erase(id);
  if (entries_.empty()) timer_ = Timer();
}

void Deadlines::Arm() {
  if (coming_) return;
  const SteadyTime first = entries_.begin()->first.first;
  if (timer_.armed() && armed_for_ <= first) return;
  if (first > env_.Now()) {
    armed_for_ = first;
    timer_ = env_.loop().RunAt(first, [this] { Run(); });
    return;
  }
  // A timer that is already due would leave no turn for other work.
  coming_ = true;
  env_.loop().Post(own_calls_.Guard([this] { Run(); }));
}

void Deadlines::Run() {
  timer_ = Timer();
  coming_ = true;
  const SteadyTime now = env_.Now();
  const internal::base::WorkSlice turn(env_);
  while (!entries_.empty() && entries_.begin()->first.first <= now && !turn.over()) {
    const auto entry = entries_.extract(entries_.begin());
    entry.mapped()();
  }
  coming_ = false;
  if (!entries_.empty()) Arm();
}

}  // namespace kinformer::apiserver
