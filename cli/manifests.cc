#include "cli/manifests.h"

#include <algorithm>
#include <utility>

#include "kinformer/base/error.h"

namespace kinformer::cli {
namespace {

int Rank(const Manifest& manifest) {
  const std::string& kind = manifest.object["kind"].StringOrEmpty();
  if (kind == "CustomResourceDefinition") return 0;
  return kind == "Namespace" ? 1 : 2;
}

}  // namespace

Result<std::vector<Manifest>> ReadManifestsToLoad(const std::vector<std::string>& paths,
                                                  std::istream& input,
                                                  std::vector<std::string>& warnings) {
  ManifestList list = ReadManifests(paths, {.input = &input});
  if (!list.errors.empty()) {
    const Error& first = list.errors.front();
    if (first.reason() != Reason::kConfig) return first;
    return Error(first.reason(), "--load " + first.message());
  }
  warnings.insert(warnings.end(), list.warnings.begin(), list.warnings.end());
  std::stable_sort(list.manifests.begin(), list.manifests.end(),
                   [](const Manifest& a, const Manifest& b) { return Rank(a) < Rank(b); });
  return std::move(list.manifests);
}

}  // namespace kinformer::cli
