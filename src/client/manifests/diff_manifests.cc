#include "kinformer/client/diff_manifests.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kinformer/json/yaml.h"

#include "base/text/line_changes.h"
#include "client/manifests/definitions.h"
#include "client/manifests/object_requests.h"

namespace kinformer {
namespace internal::manifests {
namespace {

constexpr std::size_t kAround = 3;
constexpr char kLastApplied[] = "kubectl.kubernetes.io/last-applied-configuration";

// Puts stars in place of the values of one map, in both objects.
void MaskMap(json::Value& live, json::Value& merged) {
  json::Object* const before = live.IfObject();
  json::Object* const after = merged.IfObject();
  std::set<std::string> changed;
  if (before != nullptr && after != nullptr) {
    for (const auto& [name, value] : *before) {
      const json::Value* const other = after->Find(name);
      if (other != nullptr && !(*other == value)) changed.insert(name);
    }
  }
  const auto mask = [&](json::Object* map, const char* changed_text) {
    if (map == nullptr) return;
    for (std::size_t i = 0; i < map->size(); ++i) {
      map->value(i) = changed.contains(map->name(i)) ? changed_text : "***";
    }
  };
  mask(before, "*** (before)");
  mask(after, "*** (after)");
}

void MaskSecret(json::Value& live, json::Value& merged) {
  json::Value none_before;
  json::Value none_after;
  for (const char* map : {"data", "stringData"}) {
    json::Value* const before = live.Find(map);
    json::Value* const after = merged.Find(map);
    MaskMap(before != nullptr ? *before : none_before, after != nullptr ? *after : none_after);
  }
  // A copy of the data by kubectl.
  for (json::Value* object : {&live, &merged}) {
    if (json::Value* text = object->FindPointer("/metadata/annotations")) {
      if (text->contains(kLastApplied)) text->Set(kLastApplied, "***");
    }
  }
}

// Takes out what the server makes up in a dry run.
void DropOfNewObject(json::Value& object) {
  if (json::Value* metadata = object.Find("metadata")) {
    for (const char* name : {"uid", "creationTimestamp", "resourceVersion"}) {
      metadata->Erase(name);
    }
  }
}

std::string NameOf(const Target& target) {
  const GroupVersionKind& kind = target.mapping.kind;
  return (kind.group.empty() ? "" : kind.group + ".") + kind.version + "." + kind.kind + "." +
         target.namespace_ + "." + target.name;
}

// One call of DiffManifests.
class DiffRun {
 public:
  DiffRun(const Client& client, const std::vector<Manifest>& manifests,
          const DiffManifestsOptions& options, const CallOptions& call)
      : options_(options), requests_(client, call, "the diff"), definitions_(manifests) {
    for (const Manifest& manifest : manifests) {
      const GroupVersionKind kind = manifest.kind();
      if (kind.group.empty() && kind.kind == "Namespace") namespaces_.insert(manifest.name());
    }
  }

  ManifestDiff Diff(const Manifest& manifest, std::size_t index) {
    ManifestDiff diff;
    if (Result<void> done = Try(manifest, diff); !done) {
      diff = {};
      diff.conflicts = ConflictsOf(done.error());
      diff.error = At(manifest.place(), std::move(done).error());
    }
    diff.manifest = index;
    return diff;
  }

 private:
  Result<void> Try(const Manifest& manifest, ManifestDiff& diff) {
    Result<Target> target =
        requests_.Resolve(manifest, {options_.namespace_, options_.enforce_namespace});
    if (!target && IsNotFound(target) && definitions_.Has(manifest.kind())) {
      // The server cannot say more about a kind that it does not know.
      Target unknown{.mapping = {}, .namespace_ = manifest.namespace_(), .name = manifest.name()};
      unknown.mapping.kind = manifest.kind();
      diff.merged = manifest.object;
      Finish(unknown, diff);
      return {};
    }
    if (!target) return std::move(target).error();
    json::Value object = manifest.object;
    if (!target->namespace_.empty()) object.Ensure("metadata", "namespace") = target->namespace_;
    Result<std::optional<json::Value>> live = requests_.Get(*target);
    if (!live) return At(target->ToString(), std::move(live).error());
    if (*live) diff.live = **std::move(live);
    Result<Applied> merged = requests_.Apply(*target, object,
                                             {.dryRun = {"All"},
                                              .force = options_.force_conflicts,
                                              .fieldManager = options_.fieldManager,
                                              .fieldValidation = "Strict"});
    if (merged) {
      diff.merged = std::move(merged->object);
    } else if (IsNotFound(merged) && namespaces_.contains(target->namespace_)) {
      diff.merged = std::move(object);
    } else {
      return At(target->ToString(), std::move(merged).error());
    }
    Finish(*target, diff);
    return {};
  }

  void Finish(const Target& target, ManifestDiff& diff) {
    diff.name = NameOf(target);
    if (diff.live.is_null()) DropOfNewObject(diff.merged);
    if (!options_.show_managed_fields) {
      for (json::Value* object : {&diff.live, &diff.merged}) {
        if (json::Value* metadata = object->Find("metadata")) metadata->Erase("managedFields");
      }
    }
    if (target.mapping.kind.group.empty() && target.mapping.kind.kind == "Secret") {
      MaskSecret(diff.live, diff.merged);
    }
    diff.text = UnifiedDiff(diff.live.is_null() ? "" : yaml::Dump(diff.live),
                            yaml::Dump(diff.merged), "LIVE/" + diff.name, "MERGED/" + diff.name);
  }

  const DiffManifestsOptions& options_;
  const ObjectRequests requests_;
  const Definitions definitions_;
  std::set<std::string> namespaces_;
};

// Returns "12,7": first line and number of lines; an empty range begins after the line before it.
std::string RangeText(std::size_t first, std::size_t count) {
  const std::string start = std::to_string(count == 0 ? first : first + 1);
  return count == 1 ? start : start + "," + std::to_string(count);
}

}  // namespace
}  // namespace internal::manifests

std::vector<ManifestDiff> DiffManifests(const Client& client,
                                        const std::vector<Manifest>& manifests,
                                        const DiffManifestsOptions& options,
                                        const CallOptions& call) {
  internal::manifests::DiffRun run(client, manifests, options, call);
  std::vector<ManifestDiff> diffs;
  for (std::size_t i = 0; i < manifests.size(); ++i) diffs.push_back(run.Diff(manifests[i], i));
  return diffs;
}

std::string UnifiedDiff(std::string_view from, std::string_view to, std::string_view from_name,
                        std::string_view to_name) {
  using internal::manifests::kAround;
  using internal::manifests::RangeText;
  const auto lines = internal::base::LineChanges(from, to);
  std::string out;
  std::size_t from_line = 0;  // lines of `from` before `at`
  std::size_t to_line = 0;
  std::size_t at = 0;
  const auto count = [&](std::size_t begin, std::size_t end, char mark) {
    return static_cast<std::size_t>(
        std::count_if(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                      lines.begin() + static_cast<std::ptrdiff_t>(end),
                      [&](const auto& line) { return line.mark == ' ' || line.mark == mark; }));
  };
  while (true) {
    std::size_t change = at;
    while (change < lines.size() && lines[change].mark == ' ') ++change;
    if (change == lines.size()) break;
    const std::size_t begin = std::max(at, change > kAround ? change - kAround : 0);
    // The hunk goes on while the next change is so near that their surroundings meet.
    std::size_t end = change;
    for (std::size_t i = change; i < lines.size() && i <= end + (2 * kAround) + 1; ++i) {
      if (lines[i].mark != ' ') end = i;
    }
    end = std::min(end + kAround + 1, lines.size());
    from_line += count(at, begin, '-');
    to_line += count(at, begin, '+');
    if (out.empty()) {
      out.append("--- ").append(from_name).append("\n+++ ").append(to_name).append("\n");
    }
    const std::size_t from_count = count(begin, end, '-');
    const std::size_t to_count = count(begin, end, '+');
    out +=
        "@@ -" + RangeText(from_line, from_count) + " +" + RangeText(to_line, to_count) + " @@\n";
    for (std::size_t i = begin; i < end; ++i) {
      out += lines[i].mark;
      out.append(lines[i].line).append("\n");
    }
    from_line += from_count;
    to_line += to_count;
    at = end;
  }
  return out;
}

}  // namespace kinformer
