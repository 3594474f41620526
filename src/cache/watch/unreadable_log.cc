#include "cache/watch/unreadable_log.h"

namespace kinformer::internal::cache {
namespace {

// Beyond this number names are forgotten, and may be logged again.
constexpr std::size_t kMostRemembered = 1000;

ObjectName NameOf(std::string_view namespace_, std::string_view name) {
  return {std::string(namespace_), std::string(name)};
}

}  // namespace

void UnreadableLog::Unreadable(std::string_view source, std::string_view namespace_,
                               std::string_view name, const Error* why) {
  if (said_.contains(NameOf(namespace_, name)) || !allowance_.Take()) return;
  if (said_.size() >= kMostRemembered) said_.clear();
  said_.insert(NameOf(namespace_, name));
  env_.log().Log(LogLevel::kError, "an object of the " + std::string(source) + " is unreadable",
                 {{"informer", informer_},
                  {"namespace", std::string(namespace_)},
                  {"name", std::string(name)},
                  {"err", why != nullptr ? why->ToString() : "not said"}});
}

void UnreadableLog::TellHowMany() {
  const std::size_t untold = allowance_.TakeUntold();
  if (untold == 0) return;
  env_.log().Log(LogLevel::kError, "more objects are unreadable than are named here",
                 {{"informer", informer_}, {"times", std::to_string(untold)}});
}

void UnreadableLog::Forget(std::string_view namespace_, std::string_view name) {
  said_.erase(NameOf(namespace_, name));
}

}  // namespace kinformer::internal::cache
