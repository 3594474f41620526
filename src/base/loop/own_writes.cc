#include "base/loop/own_writes.h"

namespace kinformer::internal::base {
namespace {

thread_local OwnWrites* t_current = nullptr;

}  // namespace

OwnWrites::OwnWrites() : outer_(t_current) { t_current = this; }
OwnWrites::~OwnWrites() { t_current = outer_; }

std::shared_ptr<OwnWrites::Notes> OwnWrites::Current() {
  return t_current == nullptr ? nullptr : t_current->notes_;
}

}  // namespace kinformer::internal::base
