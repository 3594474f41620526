#include "cli/size_strata.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kinformer::cli {
namespace {

// Signatures beyond the first number share strata by size, and so do, in the end, the rarest beyond
// the second.
constexpr std::size_t kMostSignatures = 512;
constexpr std::size_t kMostStrata = 48;
// Random suffixes of Kubernetes have no vowels, so that they form no words.
constexpr std::string_view kRandomLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kRandomPart = 4;
constexpr std::size_t kHexPart = 6;
// The normal distribution has 95 % within so many deviations.
constexpr double kDeviations = 1.96;
// Before any is read, objects of a stratum are taken to differ by that part of their size, as if so
// many had shown it: two that are equal by chance do not say that all are.
constexpr double kSpread = 0.3;
constexpr double kSpreadObjects = 2;

bool AllOf(std::string_view part, std::string_view letters) {
  return part.find_first_not_of(letters) == std::string_view::npos;
}

// Mixes the bits of a number: splitmix64's last step.
std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t DrawOf(std::uint64_t seed, std::string_view namespace_, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ Mix(seed);
  const auto add = [&hash](std::string_view text) {
    for (const char c : text) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
  };
  add(namespace_);
  add("/");
  add(name);
  return Mix(hash);
}

// Returns the size in steps of a third.
std::string SizeClass(std::size_t bytes) {
  const double steps = std::log2(static_cast<double>(bytes) + 1) / std::log2(4.0 / 3.0);
  return std::to_string(static_cast<int>(steps));
}

}  // namespace

std::string PatternOf(std::string_view name) {
  std::string pattern;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("-."), name.size());
    const std::string_view part = name.substr(0, end);
    const bool random = (part.size() >= kRandomPart && AllOf(part, kRandomLetters)) ||
                        (part.size() >= kHexPart && AllOf(part, kHexDigits));
    if (!random) {
      std::copy_if(part.begin(), part.end(), std::back_inserter(pattern),
                   [](char c) { return c < '0' || c > '9'; });
    }
    pattern += '-';
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return pattern;
}

double Strata::Stratum::Variance() const {
  const auto n = static_cast<double>(noted);
  const double spread = kSpread * Mean();
  const double deviations = std::max(0.0, squares - sum * sum / n);
  return (deviations + kSpreadObjects * spread * spread) / (n - 1 + kSpreadObjects);
}

void Strata::Add(std::string_view namespace_, std::string_view name, std::string_view owner,
                 std::size_t metadata_bytes) {
  const std::string size = SizeClass(metadata_bytes);
  std::string signature = PatternOf(name) + " " + std::string(owner) + " " + size;
  if (by_signature_.size() >= kMostSignatures && !by_signature_.contains(signature)) {
    signature = size;
  }
  Stratum& stratum = by_signature_[signature];
  ++objects_;
  ++stratum.objects;
  const std::uint64_t draw = DrawOf(seed_, namespace_, name);
  if (stratum.drawn.size() >= keep_) {
    if (draw > std::prev(stratum.drawn.end())->first) return;
    stratum.drawn.erase(std::prev(stratum.drawn.end()));
  }
  stratum.drawn.emplace(draw, std::pair(std::string(namespace_), std::string(name)));
}

void Strata::Absorb(Stratum& into, Stratum& from) const {
  into.objects += from.objects;
  into.drawn.merge(from.drawn);
  while (into.drawn.size() > keep_) into.drawn.erase(std::prev(into.drawn.end()));
}

void Strata::Merge() {
  std::vector<std::pair<std::string, Stratum>> all(std::make_move_iterator(by_signature_.begin()),
                                                   std::make_move_iterator(by_signature_.end()));
  by_signature_.clear();
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.second.objects > b.second.objects;
  });
  std::map<std::string, Stratum> rest;  // by size
  for (auto& [signature, stratum] : all) {
    if (strata_.size() < kMostStrata) {
      strata_.push_back(std::move(stratum));
    } else {
      Absorb(rest[signature.substr(signature.rfind(' ') + 1)], stratum);
    }
  }
  for (auto& [size, stratum] : rest) strata_.push_back(std::move(stratum));
}

std::optional<Pick> Strata::Next() {
  std::optional<std::size_t> best;
  double most = -1;
  for (std::size_t i = 0; i < strata_.size(); ++i) {
    const Stratum& stratum = strata_[i];
    if (stratum.returned == stratum.drawn.size()) continue;
    const auto n = static_cast<double>(stratum.returned);
    double gain = HUGE_VAL;  // two of each before anything else
    if (stratum.returned >= 2) {
      const double spread = stratum.noted == 0 ? 0 : stratum.Variance();
      const auto objects = static_cast<double>(stratum.objects);
      gain = objects * objects * spread * (1 / n - 1 / (n + 1));
    }
    if (gain > most) {
      most = gain;
      best = i;
    }
  }
  if (!best) return std::nullopt;
  Stratum& stratum = strata_[*best];
  const auto at = std::next(stratum.drawn.begin(), static_cast<std::ptrdiff_t>(stratum.returned++));
  return Pick{*best, at->second.first, at->second.second};
}

void Strata::Note(std::size_t stratum, std::size_t bytes) {
  Stratum& noted = strata_[stratum];
  const auto size = static_cast<double>(bytes);
  ++noted.noted;
  noted.sum += size;
  noted.squares += size * size;
}

double Strata::RelativeError() const {
  double total = 0;
  double variance = 0;
  for (const Stratum& stratum : strata_) {
    if (stratum.noted == 0) continue;
    const auto objects = static_cast<double>(stratum.objects);
    const auto n = static_cast<double>(stratum.noted);
    total += objects * stratum.Mean();
    variance += objects * std::max(0.0, objects - n) * stratum.Variance() / n;
  }
  return total == 0 ? 1 : kDeviations * std::sqrt(variance) / total;
}

double Strata::Weight(std::size_t stratum) const {
  // Strata of which nothing could be read are like the others.
  std::size_t known = 0;
  for (const Stratum& one : strata_) known += one.noted == 0 ? 0 : one.objects;
  const Stratum& one = strata_[stratum];
  return static_cast<double>(one.objects) / static_cast<double>(one.noted) *
         static_cast<double>(objects_) / static_cast<double>(known);
}

}  // namespace kinformer::cli
