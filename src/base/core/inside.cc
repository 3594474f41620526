#include "base/core/inside.h"

#include <algorithm>

namespace kinformer::internal::base {
namespace {

thread_local const Inside* t_innermost = nullptr;

}  // namespace

Inside::Inside(const void* what) : what_(what), all_(&what_, 1), outer_(t_innermost) {
  t_innermost = this;
}
Inside::Inside(std::span<const void* const> all) : what_(nullptr), all_(all), outer_(t_innermost) {
  t_innermost = this;
}
Inside::~Inside() { t_innermost = outer_; }

bool Inside::Of(const void* what) {
  for (const Inside* at = t_innermost; at != nullptr; at = at->outer_) {
    if (std::ranges::find(at->all_, what) != at->all_.end()) return true;
  }
  return false;
}

std::vector<const void*> Inside::All() {
  std::vector<const void*> all;
  for (const Inside* at = t_innermost; at != nullptr; at = at->outer_) {
    all.insert(all.end(), at->all_.begin(), at->all_.end());
  }
  return all;
}

}  // namespace kinformer::internal::base
