#include "kinformer/internal/cause_note.h"

#include <string_view>

#include "base/text/number_in.h"
#include "controller/causes/cause_more.h"

namespace kinformer::internal {
namespace {

thread_local const HandledEvent* t_event = nullptr;

// 0: no version, or one that is no number.
std::uint64_t NumberOf(std::string_view version) {
  return base::NumberIn<std::uint64_t>(version).value_or(0);
}

// Whether the objects are needed to say what has happened. Those of an initial list are many.
bool NeedsObjects(const HandledEvent& event, bool own) {
  return !own || event.type() == CauseType::kUpdated || event.type() == CauseType::kAdded;
}

}  // namespace

bool CauseBudget::Take(std::size_t bytes) {
  if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kMostBytes) return true;
  Give(bytes);
  return false;
}

CauseMoreRef::CauseMoreRef(const CauseMoreRef& other) : more_(other.more_) {
  if (more_ != nullptr) more_->refs.fetch_add(1, std::memory_order_relaxed);
}

void CauseMoreRef::Release() {
  if (more_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete more_;
}

void CauseNote::AddFurther(RawCause&& cause, const std::shared_ptr<CauseBudget>& budget) {
  if (!first_.more) {
    CauseMoreRef more(new CauseMore(budget));
    if (!more->Charge(sizeof(CauseMore))) {
      ++first_.left_out;
      return;
    }
    first_.more = std::move(more);
  }
  std::vector<RawCause>& further = first_.more->further;
  if (further.size() + 1 >= kMost) {
    ++first_.left_out;
    further.back() = std::move(cause);
  } else if (first_.more->Charge(sizeof(RawCause))) {
    further.push_back(std::move(cause));
  } else {
    ++first_.left_out;
  }
}

void CauseNote::PutBack(CauseNote earlier, const std::shared_ptr<CauseBudget>& budget) {
  if (earlier.empty()) return;
  CauseNote later = std::exchange(*this, std::move(earlier));
  if (later.empty()) return;
  first_.left_out += later.first_.left_out;
  later.first_.left_out = 0;
  std::vector<RawCause> further;
  if (later.first_.more) further = std::move(later.first_.more->further);
  AddFurther(std::move(later.first_), budget);
  for (RawCause& cause : further) AddFurther(std::move(cause), budget);
}

CauseNote CauseNote::Copy() const {
  const auto copied = [](const RawCause& cause) {
    RawCause copy = cause;
    if (!cause.more) return copy;
    copy.more = CauseMoreRef(new CauseMore(nullptr));
    copy.more->before = cause.more->before;
    copy.more->now = cause.more->now;
    return copy;
  };
  CauseNote note;
  note.first_ = copied(first_);
  if (first_.more) {
    for (const RawCause& cause : first_.more->further) {
      note.first_.more->further.push_back(copied(cause));
    }
  }
  return note;
}

std::size_t CauseNote::size() const {
  if (!first_.set) return 0;
  return 1 + (first_.more ? first_.more->further.size() : 0);
}

const RawCause& CauseNote::operator[](std::size_t i) const {
  return i == 0 ? first_ : first_.more->further[i - 1];
}

HandledEvent::HandledEvent(CauseType type, const Block* before, const Block* now)
    : type_(type), before_(before), now_(now), outer_(t_event) {
  t_event = this;
}
HandledEvent::~HandledEvent() { t_event = outer_; }

const HandledEvent* HandledEvent::Current() { return t_event; }

RawCause CauseBook::OfEvent(const HandledEvent& event, bool own) const {
  RawCause cause = Plain(event.type());
  const Block& now = *event.now();
  cause.kind = &now.type();
  cause.own = own;
  cause.now = NumberOf(now.resourceVersion());
  const bool updated = event.type() == CauseType::kUpdated;
  if (updated) cause.before = NumberOf(event.before()->resourceVersion());
  if (!NeedsObjects(event, own)) return cause;
  const std::size_t bytes =
      sizeof(CauseMore) + now.allocated_bytes() + (updated ? event.before()->allocated_bytes() : 0);
  // Not made in vain: many come at once when the budget is used up.
  if (!budget_->Take(bytes)) return cause;
  cause.more = CauseMoreRef(new CauseMore(budget_));
  cause.more->bytes = bytes;
  cause.more->now = ObjectRef::Share(&now);
  if (updated) cause.more->before = ObjectRef::Share(event.before());
  return cause;
}

}  // namespace kinformer::internal
