#include "cache/pipeline/unreadable_log.h"

namespace kinformer::internal::cache {
namespace {

// More are forgotten, and said again.
constexpr std::size_t kMostRemembered = 1000;

ObjectName NameOf(std::string_view namespace_, std::string_view name) {
  return {std::string(namespace_), std::string(name)};
}

}  // namespace

void UnreadableLog::Unreadable(std::string_view source, std::string_view namespace_,
                               std::string_view name, const Error* why) {
  if (said_.size() >= kMostRemembered) said_.clear();
  if (!said_.insert(NameOf(namespace_, name)).second) return;
  env_.log().Log(LogLevel::kError, "an object of the " + std::string(source) + " is unreadable",
                 {{"informer", informer_},
                  {"namespace", std::string(namespace_)},
                  {"name", std::string(name)},
                  {"err", why != nullptr ? why->ToString() : "not said"}});
}

void UnreadableLog::Forget(std::string_view namespace_, std::string_view name) {
  said_.erase(NameOf(namespace_, name));
}

}  // namespace kinformer::internal::cache
