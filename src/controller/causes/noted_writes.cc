#include "controller/causes/noted_writes.h"

namespace kinformer::internal {

void NotedWrites::Note(NotedWrite write) {
  if (writes_.size() < kMost) {
    writes_.push_back(std::move(write));
  } else {
    ++left_out_;
  }
}

}  // namespace kinformer::internal
