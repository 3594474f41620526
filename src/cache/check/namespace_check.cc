#include "cache/check/namespace_check.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>

#include "kinformer/base/log.h"

#include "base/core/deadline.h"

namespace kinformer::internal::cache {
namespace {

constexpr std::int64_t kPage = 2500;
// Time within which the watch must show what a list has shown.
constexpr Duration kBehind = std::chrono::seconds(10);

std::string Text(const std::set<std::string, std::less<>>& names) {
  constexpr std::size_t kMost = 10;
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (++count <= kMost) text += (text.empty() ? "" : ", ") + name;
  }
  return count <= kMost ? text : text + " and " + std::to_string(count - kMost) + " more";
}

}  // namespace

NamespaceCheck::NamespaceCheck(Env& env, ListerWatcher& lister_watcher, Options options)
    : env_(env), lister_watcher_(lister_watcher), options_(std::move(options)) {}

void NamespaceCheck::Begin() {
  if (options_.period <= Duration(0) || timer_.armed() || call_ != nullptr) return;
  Arm(options_.period, &NamespaceCheck::Ask);
}

void NamespaceCheck::Arm(Duration delay, void (NamespaceCheck::*next)()) {
  timer_ = env_.loop().RunAt(base::After(env_.Now(), delay), [this, next] {
    timer_ = Timer();
    (this->*next)();
  });
}

void NamespaceCheck::Page(std::string continue_) {
  if (continue_.empty()) {
    listed_.clear();
    tokens_ = {};
  }
  ListOptions options;
  options.limit = kPage;
  options.continue_ = std::move(continue_);
  call_ = lister_watcher_.List(options, *this);
}

void NamespaceCheck::OnUnreadable(std::string_view /*namespace_*/, std::string_view name,
                                  const Error& /*error*/) {
  // The check compares names only.
  listed_.emplace(name);
}

void NamespaceCheck::OnDone(Result<ListMeta> result) {
  call_.reset();
  // The watch reports the server's errors, so a failed list only postpones the check.
  if (!result) return Begin();
  if (!result->continue_.empty()) {
    return tokens_.Next(result->continue_) ? Page(std::move(result->continue_)) : Begin();
  }
  suspects_.clear();
  std::set_symmetric_difference(listed_.begin(), listed_.end(), options_.known->begin(),
                                options_.known->end(), std::inserter(suspects_, suspects_.end()));
  if (suspects_.empty()) return Begin();
  Arm(kBehind, &NamespaceCheck::LookAgain);
}

void NamespaceCheck::LookAgain() {
  std::erase_if(suspects_, [this](const std::string& name) {
    return listed_.contains(name) == options_.known->contains(name);
  });
  if (!suspects_.empty()) {
    env_.log().Log(LogLevel::kWarning,
                   "the Namespaces that the server has are not those that its watch has told of; "
                   "will list them anew",
                   {{"informer", options_.name}, {"namespaces", Text(suspects_)}});
    options_.relist();
  }
  Begin();
}

}  // namespace kinformer::internal::cache
