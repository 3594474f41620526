#include "controller/causes/noted_writes.h"

namespace kinformer::internal {
namespace {

thread_local NotedWrites* t_current = nullptr;

}  // namespace

NotedWrites::NotedWrites() : outer_(t_current) { t_current = this; }
NotedWrites::~NotedWrites() { t_current = outer_; }

NotedWrites* NotedWrites::Current() { return t_current; }

void NotedWrites::Note(NotedWrite write) {
  if (writes_.size() < kMost) {
    writes_.push_back(std::move(write));
  } else {
    ++left_out_;
  }
}

}  // namespace kinformer::internal
