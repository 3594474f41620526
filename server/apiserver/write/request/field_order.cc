#include "apiserver/write/request/field_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

namespace kinformer::apiserver {
namespace {

// FNV-1a. The hash of a path is computed from that of the enclosing value, so no path has to be
// written out as text.
constexpr std::uint64_t kEmpty = 14695981039346656037ULL;
std::uint64_t Extend(std::uint64_t hash, std::string_view text) {
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash;
}

std::string_view PathOf(std::string_view problem) {
  const std::size_t first = problem.find('"');
  const std::size_t last = problem.rfind('"');
  return first >= last ? std::string_view() : problem.substr(first + 1, last - first - 1);
}

// Positions of the members of certain paths, for each occurrence.
class Places {
 public:
  void Want(std::string_view path) { places_[Extend(kEmpty, path)]; }

  void Scan(std::string_view text) {
    std::vector<Container> open;
    std::uint64_t value = kEmpty;  // path of the next value
    bool key_next = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
      switch (text[at]) {
        case '{':
        case '[':
          open.push_back({.path = value, .array = text[at] == '['});
          key_next = text[at] == '{';
          if (!key_next) value = open.back().Element();
          break;
        case '}':
        case ']':
          if (open.size() < 2) return;
          open.pop_back();
          break;
        case ',':
          if (open.empty()) return;
          key_next = !open.back().array;
          if (!key_next) value = open.back().Element();
          break;
        case '"': {
          const std::size_t end = EndOfString(text, at);
          if (std::exchange(key_next, false) && !open.empty()) {
            const std::uint64_t around = open.back().path;
            value = Extend(around == kEmpty ? around : Extend(around, "."),
                           text.substr(at + 1, end - at - 1));
            if (const auto place = places_.find(value); place != places_.end()) {
              place->second.push_back(at);
            }
          }
          at = end;
          break;
        }
        default:
          break;
      }
    }
  }

  // Returns the position of the n-th occurrence.
  [[nodiscard]] std::size_t Of(std::string_view path, std::size_t n) const {
    const auto place = places_.find(Extend(kEmpty, path));
    return place == places_.end() || n >= place->second.size()
               ? std::numeric_limits<std::size_t>::max()
               : place->second[n];
  }

 private:
  struct Container {
    std::uint64_t path = kEmpty;
    bool array = false;
    std::size_t next = 0;
    std::uint64_t Element() { return Extend(path, "[" + std::to_string(next++) + "]"); }
  };

  static std::size_t EndOfString(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\') ++at;
    }
    return std::min(at, text.size());
  }

  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places_;
};

}  // namespace

void SortByText(std::string_view body, std::vector<std::string>& problems) {
  Places places;
  for (const std::string& problem : problems) places.Want(PathOf(problem));
  places.Scan(body);
  std::vector<std::pair<std::size_t, std::string>> placed;
  std::unordered_map<std::string_view, std::size_t> repeats;
  for (const std::string& problem : problems) {
    const std::string_view path = PathOf(problem);
    // The first occurrence of a repeated member is valid.
    const bool repeated = problem.starts_with("duplicate");
    placed.emplace_back(places.Of(path, repeated ? ++repeats[path] : 0), problem);
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  problems.clear();
  for (auto& [place, problem] : placed) problems.push_back(std::move(problem));
}

}  // namespace kinformer::apiserver
