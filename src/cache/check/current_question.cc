#include "cache/check/current_question.h"

#include <algorithm>
#include <chrono>
#include <compare>
#include <functional>
#include <optional>
#include <utility>

#include "base/core/deadline.h"
#include "cache/check/refusal.h"
#include "cache/store/coverage.h"
#include "cache/store/resource_version.h"

namespace kinformer::internal::cache {
namespace {

// Returns whether `version` is `wanted` or a newer one.
bool Reaches(std::string_view version, std::string_view wanted) {
  const auto order = CompareResourceVersion(version, wanted);
  return order ? *order != std::strong_ordering::less : version == wanted;
}

// Returns whether readers learn that the object exists, but is not in the store.
bool IsMissing(const SnapshotCore& snapshot, std::string_view namespace_, std::string_view name) {
  const Coverage* coverage = snapshot.coverage();
  return coverage != nullptr &&
         (coverage->IsLeftOut(namespace_, name) || coverage->IsUnreadable(namespace_, name));
}

}  // namespace

CurrentQuestion::CurrentQuestion(Env& env, ListerWatcher& source, const StoreCore& store,
                                 CurrentQuestionOptions options)
    : env_(env), source_(source), store_(store), options_(std::move(options)) {}

CurrentQuestion::~CurrentQuestion() = default;

void CurrentQuestion::Ask() {
  before_ = store_.Snapshot();
  version_.clear();
  complete_ = false;
  found_.clear();
  lacking_.clear();
  gone_.clear();
  page_ = {};
  page_.limit = kPageSize;
  tokens_ = {};
  AskForPage();
}

void CurrentQuestion::AskForPage() {
  timer_ = Timer();
  call_ = whole_objects_ ? nullptr : source_.ListMetadata("", page_, *this);
  if (call_ != nullptr) return;
  whole_objects_ = true;
  call_ = source_.List(page_, *this);
}

void CurrentQuestion::OnItem(AnyRef object) {
  const Block& listed = *object.object();
  const std::string_view namespace_ = listed.namespace_();
  const std::string_view name = listed.name();
  const Block* stored = before_->Get(namespace_, name);
  if (stored != nullptr) found_.push_back(stored);
  if (IsMissing(*before_, namespace_, name)) return;
  if (stored != nullptr && Reaches(stored->resourceVersion(), listed.resourceVersion())) return;
  lacking_[{std::string(namespace_), std::string(name)}] = std::string(listed.resourceVersion());
}

void CurrentQuestion::OnUnreadable(std::string_view namespace_, std::string_view name,
                                   const Error& /*error*/) {
  if (const Block* stored = before_->Get(namespace_, name)) found_.push_back(stored);
}

void CurrentQuestion::OnDone(Result<ListMeta> result) {
  call_.reset();
  if (!result) return AskAgain(result.error());
  // Each page is at the version of the first one.
  if (version_.empty()) version_ = result->resourceVersion;
  if (result->continue_.empty()) {
    complete_ = true;
    LookForGone();
    return AnswerIfCurrent();
  }
  if (const Result<void> next = tokens_.Next(result->continue_); !next) {
    return AskAgain(next.error());
  }
  const bool first = page_.continue_.empty();
  page_ = {};
  page_.limit = kPageSize;
  page_.continue_ = result->continue_;
  if (!first) return AskForPage();
  timer_ = env_.loop().RunAt(base::After(env_.Now(), kPatience), [this] { AskForPage(); });
  AnswerIfCurrent();
}

// Finds objects that were deleted before the list was made.
void CurrentQuestion::LookForGone() {
  std::sort(found_.begin(), found_.end(), std::less<>());
  const auto look = [&](const Block& object) {
    if (std::binary_search(found_.begin(), found_.end(), &object, std::less<>())) return;
    if (IsMissing(*before_, object.namespace_(), object.name())) return;
    gone_[{std::string(object.namespace_()), std::string(object.name())}] =
        std::string(object.uid());
  };
  if (options_.part.IsAll()) {
    SnapshotCore::Cursor cursor;
    while (const Block* object = before_->Next(cursor)) look(*object);
  } else {
    for (const Block* object : options_.part.In(*before_)) look(*object);
  }
  found_.clear();
  before_.reset();
}

void CurrentQuestion::AskAgain(const Error& error) {
  const SteadyTime now = env_.Now();
  if (error.http_status() < 500) {
    broken_since_.reset();
  } else if (!broken_since_) {
    broken_since_ = now;
  }
  const bool broken = broken_since_ && now - *broken_since_ >= kBroken;
  const bool for_good = broken || IsRefusedForGood(error);
  options_.failed(error, for_good);
  if (for_good) return Abandon();
  timer_ = env_.loop().RunAt(base::After(now, kRetry), [this] {
    timer_ = Timer();
    Ask();
  });
}

void CurrentQuestion::AnswerIfCurrent() {
  if (!answered_ && !version_.empty() && IsCurrent()) Abandon();
}

void CurrentQuestion::Abandon() {
  if (std::exchange(answered_, true)) return;
  timer_ = Timer();
  call_.reset();
  options_.answered();
}

bool CurrentQuestion::IsCurrent() {
  const std::string version = options_.version();
  if (version.empty()) return false;
  if (Reaches(version, version_)) return true;
  if (!complete_ || !options_.comparable()) return false;
  const std::shared_ptr<const SnapshotCore> now = store_.Snapshot();
  std::erase_if(lacking_, [&](const auto& wanted) {
    const Block* stored = now->Get(wanted.first.namespace_, wanted.first.name);
    return stored != nullptr && Reaches(stored->resourceVersion(), wanted.second);
  });
  std::erase_if(gone_, [&](const auto& object) {
    const Block* stored = now->Get(object.first.namespace_, object.first.name);
    return stored == nullptr || stored->uid() != object.second;
  });
  return lacking_.empty() && gone_.empty();
}

}  // namespace kinformer::internal::cache
