#include "apiserver/workloads/dice.h"

namespace kinformer::apiserver::workloads {

std::uint64_t Dice::Bits(std::string_view about) const {
  std::uint64_t hash = 14695981039346656037ULL ^ internal::base::MixBits(seed_);  // FNV-1a
  for (const char c : about) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return internal::base::MixBits(hash);
}

Duration Dice::Delay(const DelayRange& range, std::string_view about) const {
  const auto width = static_cast<std::uint64_t>((range.most - range.least).count()) + 1;
  return range.least + Duration(static_cast<Duration::rep>(Bits(about) % width));
}

double Dice::Unit(std::string_view about) const {
  return static_cast<double>(Bits(about) >> 11) / static_cast<double>(std::uint64_t{1} << 53);
}

std::string Dice::Letters(int count) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string out;
  for (int i = 0; i < count; ++i) out += kLetters[prng_.Below(kLetters.size())];
  return out;
}

}  // namespace kinformer::apiserver::workloads
