#include "controller/events/event_name.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "object/values/dns_name.h"

namespace kinformer::internal::events {
namespace {

std::string Hexadecimal(std::uint64_t number, std::size_t digits = 0) {
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, 16).ptr;
  std::string out(text.data(), end);
  if (out.size() < digits) out.insert(0, digits - out.size(), '0');
  return out;
}

// Version 4: random.
std::string NewUuid(Env& env) {
  const std::uint64_t high = (env.Random() & ~std::uint64_t{0xf000}) | 0x4000;
  const std::uint64_t low = (env.Random() >> 2) | (std::uint64_t{1} << 63);
  return Hexadecimal(high >> 32, 8) + "-" + Hexadecimal((high >> 16) & 0xffff, 4) + "-" +
         Hexadecimal(high & 0xffff, 4) + "-" + Hexadecimal(low >> 48, 4) + "-" +
         Hexadecimal(low & 0xffffffffffff, 12);
}

}  // namespace

std::string EventName(std::string_view object, Env& env) {
  const auto now = static_cast<std::uint64_t>(env.WallNow().time_since_epoch().count());
  std::string name = std::string(object) + "." + Hexadecimal(now);
  return IsDnsSubdomain(name) ? name : NewUuid(env);
}

}  // namespace kinformer::internal::events
