#include "cli/size_fields.h"

#include <map>
#include <string_view>

#include "kinformer/json/json.h"
#include "kinformer/object/object.h"
#include "kinformer/object/projection.h"

namespace kinformer::cli {
namespace {

constexpr double kLarge = 0.2;

// Returns the path of a member as a Projection takes it.
std::string PathOf(const std::string& outer, const std::string& name) {
  if (name.find_first_of(".[\"") != std::string::npos) return outer + "[\"" + name + "\"]";
  return outer.empty() ? name : outer + "." + name;
}

bool IsMetadata(std::string_view name) {
  return name == "metadata" || name == "kind" || name == "apiVersion";
}

}  // namespace

std::string LargestField(const KindInfo& type, const SizeSample& sample) {
  std::map<std::string, double> bytes;
  double all = 0;
  const auto note = [&bytes](const std::string& path, const json::Value& value, double weight) {
    bytes[path] += static_cast<double>(value.Dump().size()) * weight;
  };
  for (const SampledObject& sampled : sample.sampled) {
    const std::string text = Object(sampled.object.get()).ToJson();
    all += static_cast<double>(text.size()) * sampled.weight;
    const Result<json::Value> object = json::Parse(text);
    if (!object) continue;
    for (const auto& [name, value] : object->members()) {
      if (IsMetadata(name)) continue;
      note(PathOf("", name), value, sampled.weight);
      // The keys of data, and of other maps, are not the same everywhere.
      if (name != "spec" && name != "status") continue;
      for (const auto& [inner, deeper] : value.members()) {
        note(PathOf(name, inner), deeper, sampled.weight);
      }
    }
  }
  std::string largest;
  double most = all * kLarge;
  for (const auto& [path, size] : bytes) {
    // Whole spec and status are what a program looks at.
    if (path == "spec" || path == "status" || size <= most) continue;
    const Result<Projection> projection = Projection::Drop({path});
    if (!projection || !projection->CheckFor(type)) continue;
    most = size;
    largest = path;
  }
  return largest;
}

}  // namespace kinformer::cli
