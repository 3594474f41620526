// kinformer/client/manifests.h
//
// Manifests: the objects in files, folders and on standard input, each with its place, which errors
// name. apply_manifests.h, diff_manifests.h and delete_manifests.h take them to a server.
//
//   ManifestList list = ReadManifests({"deploy/"}, {.recursive = true});
//   for (const Error& error : list.errors) std::cerr << error << '\n';
//   SortForInstall(list.manifests);

#ifndef KINFORMER_CLIENT_MANIFESTS_H_
#define KINFORMER_CLIENT_MANIFESTS_H_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"
#include "kinformer/object/group_version_kind.h"

namespace kinformer {

// One object and its place. A value; thread-compatible. Counterpart: resource.Info of kubectl.
struct Manifest {
  std::string file{};       // "deploy.yaml", or "standard input"
  std::size_t line{1};      // line at which its document begins
  std::size_t document{1};  // number of its document in the file, from 1
  std::size_t item{0};      // number in its List, from 1; 0: it stands alone
  json::Value object{};

  // Returns "deploy.yaml:12", or "deploy.yaml:12: item 3" in a List.
  [[nodiscard]] std::string place() const;
  // Return parts of the object; empty where it lacks them.
  [[nodiscard]] GroupVersionKind kind() const;
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string namespace_() const;
};

// Objects that were read, and what went wrong: an error concerns one file or folder, and the
// objects of the others are there.
struct ManifestList {
  std::vector<Manifest> manifests{};
  // kConfig: a path cannot be read; kDecode: a file is no YAML or JSON, with line and column. None
  // of the objects of that file is in `manifests`.
  std::vector<Error> errors{};
  // Keys that occur twice, of which the last one counts.
  std::vector<std::string> warnings{};
};

// Options of reading.
struct ReadManifestsOptions {
  bool recursive{false};         // reads folders inside folders, too
  std::istream* input{nullptr};  // read for the path "-"; null: that path is an error
};

// Reads each path: a file of YAML or JSON; all files of a folder that end in .yaml, .yml or .json,
// in the order of their names; or "-". Documents without content are left out; the items of a List
// become separate objects. Blocks. Counterpart: resource.Builder.FilenameParam.
[[nodiscard]] ManifestList ReadManifests(const std::vector<std::string>& paths,
                                         const ReadManifestsOptions& options = {});
// Does the same for a text. `file` is its name in places and errors.
[[nodiscard]] ManifestList ParseManifests(std::string_view text, std::string_view file = "text");

// Order in which objects are created.
enum class ManifestOrder : std::uint8_t {
  kGiven,    // as they were read, as kubectl does
  kInstall,  // what others need comes first: see SortForInstall
};

// Sorts objects so that what others need comes first; otherwise their order is kept:
//   1. CustomResourceDefinitions: without them the server does not know the kinds of others;
//   2. Namespaces, which must exist before what is in them;
//   3. classes, of priorities, storage, runtimes and the like: pods and claims are refused or wait
//      without them;
//   4. limits (ResourceQuota, LimitRange, NetworkPolicy, PodDisruptionBudget), which hold only for
//      what comes after them;
//   5. ServiceAccounts, Secrets, ConfigMaps, volumes and claims: pods wait for them;
//   6. roles, then their bindings, which are refused without the role;
//   7. Services, whose addresses are in the environment of the pods that start after them;
//   8. workloads, then what scales them or leads to them: autoscalers, Ingresses;
//   9. APIServices and webhook configurations, as the server calls what they name, which must run;
//   10. all other kinds: custom resources, whose webhooks run by then.
// Counterpart: releaseutil.InstallOrder of Helm.
void SortForInstall(std::vector<Manifest>& manifests);

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_MANIFESTS_H_
