#include "controller/events/event_name.h"

#include <array>
#include <charconv>
#include <cstdint>

#include "base/text/uuid.h"
#include "object/values/dns_name.h"

namespace kinformer::internal::events {
namespace {

std::string Hexadecimal(std::uint64_t number) {
  std::array<char, 16> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number, 16).ptr};
}

}  // namespace

std::string EventName(std::string_view object, Env& env) {
  const auto now = static_cast<std::uint64_t>(env.WallNow().time_since_epoch().count());
  // Random bits below a millisecond: in a simulation many events have the same time.
  constexpr std::uint64_t kRandomPart = 0xFFFFF;
  const std::uint64_t number = (now & ~kRandomPart) | (env.Random() & kRandomPart);
  std::string name = std::string(object) + "." + Hexadecimal(number);
  return IsDnsSubdomain(name) ? name : base::NewUuid(env);
}

}  // namespace kinformer::internal::events
