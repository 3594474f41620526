#include "apiserver/schema/apply_order.h"

#include <string_view>
#include <unordered_set>

namespace kinformer::apiserver {

std::vector<AppliedElement> OrderOfApply(const std::vector<std::string>& old,
                                         const std::vector<std::string>& declared) {
  const std::unordered_set<std::string_view> known(old.begin(), old.end());
  const std::unordered_set<std::string_view> declares(declared.begin(), declared.end());
  std::vector<std::size_t> shared;  // indexes in `declared`, the first one last
  for (std::size_t i = declared.size(); i > 0; --i) {
    if (known.contains(declared[i - 1])) shared.push_back(i - 1);
  }
  std::vector<AppliedElement> out;
  out.reserve(old.size() + declared.size());
  std::unordered_set<std::string_view> taken;
  std::size_t left = 0;
  std::size_t right = 0;
  const auto take_declared = [&] {
    if (!shared.empty() && shared.back() == right) shared.pop_back();
    taken.insert(declared[right]);
    out.push_back({true, right++});
  };
  while (left < old.size() || right < declared.size()) {
    if (left < old.size() && right < declared.size()) {
      if (old[left] == declared[right]) {
        ++left;
        take_declared();
        continue;
      }
      if (declares.contains(old[left]) && !shared.empty() && declared[shared.back()] != old[left]) {
        ++left;
        continue;
      }
    }
    if (left < old.size()) {
      if (!declares.contains(old[left])) {
        out.push_back({false, left++});
        continue;
      }
      if (taken.contains(old[left])) ++left;
    }
    if (right < declared.size()) take_declared();
  }
  return out;
}

}  // namespace kinformer::apiserver
