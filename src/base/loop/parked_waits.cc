#include "base/loop/parked_waits.h"

namespace kinformer::internal::base {
namespace {

thread_local ParkedWaits* t_current = nullptr;

}  // namespace

ParkedWaits::ParkedWaits() : outer_(t_current) { t_current = this; }
ParkedWaits::~ParkedWaits() { t_current = outer_; }

ParkedWaits* ParkedWaits::Current() { return t_current; }

}  // namespace kinformer::internal::base
