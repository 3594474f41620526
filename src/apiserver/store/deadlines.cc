#include "apiserver/store/deadlines.h"

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
  const SteadyTime first = entries_.begin()->first.first;
  if (timer_.armed() && armed_for_ <= first) return;
  armed_for_ = first;
  timer_ = env_.loop().RunAt(first, [this] { Run(); });
}

void Deadlines::Run() {
  timer_ = Timer();
  const SteadyTime now = env_.Now();
  while (!entries_.empty() && entries_.begin()->first.first <= now) {
    const auto entry = entries_.extract(entries_.begin());
    entry.mapped()();
  }
  if (!entries_.empty()) Arm();
}

}  // namespace kinformer::apiserver
