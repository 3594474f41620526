#include "kinformer/client/manifests.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <istream>
#include <numeric>
#include <sstream>
#include <system_error>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/json/yaml.h"

#include "client/manifests/manifest_order.h"

namespace kinformer {
namespace {

namespace fs = std::filesystem;

Error Unreadable(const std::string& path) {
  if (path.starts_with("~/")) {
    return {Reason::kConfig,
            path + ": cannot be read; the shell left ~ as it is: write $HOME" + path.substr(1)};
  }
  if (path.starts_with("http://") || path.starts_with("https://")) {
    return {Reason::kConfig,
            path + ": addresses are not fetched; give what curl fetches as standard input"};
  }
  return {Reason::kConfig, path + ": cannot be read; is it there, and a file or folder?"};
}

bool IsManifest(const fs::path& path) {
  const std::string end = path.extension().string();
  return end == ".yaml" || end == ".yml" || end == ".json";
}

template <class Iterator>
Result<std::vector<std::string>> FilesIn(const std::string& path) {
  std::error_code failure;
  std::vector<std::string> files;
  for (Iterator at(path, failure), end; !failure && at != end; at.increment(failure)) {
    std::error_code unknown;
    if (IsManifest(at->path()) && !at->is_directory(unknown)) files.push_back(at->path().string());
  }
  if (failure) return Unreadable(path);
  if (files.empty()) {
    return Error(Reason::kConfig, path + ": the folder has no .yaml, .yml or .json");
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<std::string>> FilesOf(const std::string& path, bool recursive) {
  std::error_code failure;
  if (path == "-" || !fs::is_directory(path, failure)) return std::vector{path};
  return recursive ? FilesIn<fs::recursive_directory_iterator>(path)
                   : FilesIn<fs::directory_iterator>(path);
}

Result<std::string> ReadText(const std::string& path, std::istream* input) {
  std::ostringstream text;
  if (path == "-") {
    if (input == nullptr) return Error(Reason::kConfig, "-: there is no standard input to read");
    text << input->rdbuf();
    return std::move(text).str();
  }
  std::ifstream file(path, std::ios::binary);
  if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(text << file.rdbuf()))) {
    return Unreadable(path);
  }
  return std::move(text).str();
}

// Returns the error for a text that is not YAML, with the most common reason.
Error OfText(const Error& error, std::string_view text) {
  if (text.find("{{") == std::string_view::npos) return error;
  return {error.reason(), error.message() +
                              "; {{ }} belongs to a template: render it first, as `helm template` "
                              "does"};
}

void Add(Manifest manifest, std::vector<Manifest>& out) {
  const json::Value& given = manifest.object;
  if (!given["kind"].StringOrEmpty().ends_with("List") || !given["items"].is_array()) {
    out.push_back(std::move(manifest));
    return;
  }
  std::size_t number = 0;
  for (const json::Value& item : given["items"].items()) {
    Add({.file = manifest.file,
         .line = manifest.line,
         .document = manifest.document,
         .item = ++number,
         .object = item},
        out);
  }
}

void ParseInto(std::string_view text, const std::string& file, ManifestList& list) {
  std::vector<std::string> repeated;
  auto documents = yaml::ParseDocuments(text, file, &repeated);
  if (!documents) {
    list.errors.push_back(OfText(documents.error(), text));
    return;
  }
  for (const std::string& key : repeated) {
    list.warnings.push_back(file + ": " + key + "; its last value counts");
  }
  std::size_t number = 0;
  for (yaml::Document& document : *documents) {
    Add({.file = file,
         .line = document.line,
         .document = ++number,
         .item = 0,
         .object = std::move(document.value)},
        list.manifests);
  }
}

struct RankedKinds {
  int rank;
  std::string_view kinds;  // with blanks around each
};

constexpr int kNoneOfThese = 15;
constexpr std::array kRanks{
    RankedKinds{0, " CustomResourceDefinition "},
    RankedKinds{1, " Namespace "},
    RankedKinds{2,
                " PriorityClass StorageClass RuntimeClass IngressClass GatewayClass DeviceClass "
                "VolumeAttributesClass CSIDriver PriorityLevelConfiguration FlowSchema "},
    RankedKinds{3, " ResourceQuota LimitRange NetworkPolicy PodDisruptionBudget "},
    RankedKinds{4, " ServiceAccount "},
    RankedKinds{5, " Secret ConfigMap "},
    RankedKinds{6, " PersistentVolume "},
    RankedKinds{7, " PersistentVolumeClaim "},
    RankedKinds{8, " ClusterRole Role "},
    RankedKinds{9, " ClusterRoleBinding RoleBinding "},
    RankedKinds{10, " Service Endpoints EndpointSlice "},
    RankedKinds{11,
                " DaemonSet Pod ReplicationController ReplicaSet Deployment StatefulSet Job "
                "CronJob "},
    RankedKinds{12, " HorizontalPodAutoscaler Ingress "},
    RankedKinds{13, " APIService "},
    RankedKinds{14,
                " MutatingWebhookConfiguration ValidatingWebhookConfiguration "
                "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
                "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding "},
};

// A group of Kubernetes itself: "", "apps", "policy", "networking.k8s.io". Others may have kinds of
// the same names.
bool IsBuiltIn(std::string_view group) {
  return group.find('.') == std::string_view::npos || group.ends_with(".k8s.io");
}

int Rank(const Manifest& manifest) {
  const GroupVersionKind kind = manifest.kind();
  if (kind.kind.empty() || !IsBuiltIn(kind.group)) return kNoneOfThese;
  const std::string word = " " + kind.kind + " ";
  for (const RankedKinds& ranked : kRanks) {
    if (ranked.kinds.find(word) != std::string_view::npos) return ranked.rank;
  }
  return kNoneOfThese;
}

}  // namespace

std::string Manifest::place() const {
  std::string text = file + ":" + std::to_string(line);
  if (item != 0) text += ": item " + std::to_string(item);
  return text;
}

GroupVersionKind Manifest::kind() const {
  const std::string& version = object["apiVersion"].StringOrEmpty();
  const std::size_t slash = version.find('/');
  GroupVersionKind kind{.group = "", .version = version, .kind = object["kind"].StringOrEmpty()};
  if (slash != std::string::npos) {
    kind.group = version.substr(0, slash);
    kind.version = version.substr(slash + 1);
  }
  return kind;
}

std::string Manifest::name() const { return object["metadata"]["name"].StringOrEmpty(); }

std::string Manifest::namespace_() const { return object["metadata"]["namespace"].StringOrEmpty(); }

ManifestList ReadManifests(const std::vector<std::string>& paths,
                           const ReadManifestsOptions& options) {
  ManifestList list;
  for (const std::string& path : paths) {
    const Result<std::vector<std::string>> files = FilesOf(path, options.recursive);
    if (!files) {
      list.errors.push_back(files.error());
      continue;
    }
    for (const std::string& file : *files) {
      const Result<std::string> text = ReadText(file, options.input);
      if (text) {
        ParseInto(*text, file == "-" ? "standard input" : file, list);
      } else {
        list.errors.push_back(text.error());
      }
    }
  }
  return list;
}

ManifestList ParseManifests(std::string_view text, std::string_view file) {
  ManifestList list;
  ParseInto(text, std::string(file), list);
  return list;
}

void SortForInstall(std::vector<Manifest>& manifests) {
  std::stable_sort(manifests.begin(), manifests.end(),
                   [](const Manifest& a, const Manifest& b) { return Rank(a) < Rank(b); });
}

namespace internal::manifests {

std::vector<std::size_t> OrderOf(const std::vector<Manifest>& manifests, ManifestOrder order) {
  std::vector<std::size_t> indexes(manifests.size());
  std::iota(indexes.begin(), indexes.end(), std::size_t{0});
  if (order == ManifestOrder::kInstall) {
    std::stable_sort(indexes.begin(), indexes.end(), [&](std::size_t a, std::size_t b) {
      return Rank(manifests[a]) < Rank(manifests[b]);
    });
  }
  return indexes;
}

}  // namespace internal::manifests
}  // namespace kinformer
