// kinformer/client/clientcmd.h
//
// Functions for commands: a Config from their flags, kubeconfigs as values that are loaded, changed
// and written back, and the errors of loading that they handle. Config (config.h) itself reads
// kubeconfigs; clientcmd_flags.h has kubectl's flags.
//
//   Config config = clientcmd::BuildConfigFromFlags("", "/home/u/dev.yaml").OrExit();
//
//   clientcmd::PathOptions files = clientcmd::NewDefaultPathOptions();
//   clientcmdapi::Config kubeconfig = files.GetStartingConfig().OrExit();
//   kubeconfig.contexts["dev"].namespace_ = "team";
//   clientcmd::ModifyConfig(files, kubeconfig).OrExit();  // `kubectl config set-context` does this
//
// Counterpart: the package clientcmd.

#ifndef KINFORMER_CLIENT_CLIENTCMD_H_
#define KINFORMER_CLIENT_CLIENTCMD_H_

#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/client/clientcmd_api.h"
#include "kinformer/client/config.h"

namespace kinformer {

// Returns the text of a kubeconfig with one context (named `name`, and current) that is equivalent
// to `config`. Certificates are inlined as data; references to files stay.
std::string KubeconfigYaml(const Config& config, const std::string& name = "kinformer");

// Returns true if the error means that no configuration exists at all, rather than a wrong one.
[[nodiscard]] bool IsEmptyConfig(internal::MaybeError error);
// Returns true if the error means that the requested context does not exist.
[[nodiscard]] bool IsContextNotFound(internal::MaybeError error);
// Returns true if the error means that entries of the kubeconfig cannot be used.
[[nodiscard]] bool IsConfigurationInvalid(internal::MaybeError error);

namespace clientcmd {

// Returns a Config from two flags, either of which may be empty; with both empty, the pod's own, or
// else LoadDefault's. Counterpart: clientcmd.BuildConfigFromFlags.
Result<Config> BuildConfigFromFlags(const std::string& master, const std::string& kubeconfig_path);

// ---- Which files there are. The functions below read and write them in the calling thread. Errors
// are kConfig and name the file, and the line or field.

// Finds the files that a client reads. Counterpart: clientcmd.ClientConfigLoadingRules.
struct ClientConfigLoadingRules {
  // The file that a flag names: the only one that counts, and it must exist.
  std::string explicit_path{};
  // Files, in the order in which they count: of an entry that is in several, the first.
  std::vector<std::string> precedence{};
  // Files that Load makes first, if they are missing, as copies of others: {to, from}.
  std::map<std::string, std::string> migration_rules{};

  // Reads and merges the files that exist.
  [[nodiscard]] Result<clientcmdapi::Config> Load() const;
  [[nodiscard]] Result<clientcmdapi::Config> GetStartingConfig() const { return Load(); }
  // Makes the copies of migration_rules; Load does this, too.
  [[nodiscard]] Result<void> Migrate() const;
  // Returns the explicit file alone, or else `precedence`.
  [[nodiscard]] std::vector<std::string> GetLoadingPrecedence() const;
  // Returns the file that takes new entries: the explicit one; else the first one that exists; else
  // the first one.
  [[nodiscard]] std::string GetDefaultFilename() const;
};

// Returns the rules of this process: the files of $KUBECONFIG, or ~/.kube/config.
ClientConfigLoadingRules NewDefaultClientConfigLoadingRules();

// Finds the files that a command changes, as `kubectl config` does. Counterpart:
// clientcmd.PathOptions.
struct PathOptions {
  std::string global_file{};                 // "/home/u/.kube/config"
  std::vector<std::string> env_var_files{};  // of $KUBECONFIG; if there are any, only they count
  std::string explicit_path{};               // of --kubeconfig; may be missing

  // Returns the files that count, in their order.
  [[nodiscard]] std::vector<std::string> GetLoadingPrecedence() const;
  // Reads and merges those that exist.
  [[nodiscard]] Result<clientcmdapi::Config> GetStartingConfig() const;
  // Returns the file that takes new entries: the explicit one; else the first of $KUBECONFIG that
  // exists, or its last one; else the global file.
  [[nodiscard]] std::string GetDefaultFilename() const;
};

// Returns those of kubectl: $KUBECONFIG, or ~/.kube/config.
PathOptions NewDefaultPathOptions();

// ---- Reading and writing.

// Parses a kubeconfig, in YAML or JSON. Paths in it stay as they are.
Result<clientcmdapi::Config> Load(std::string_view text);
// Reads a file. Paths in it become absolute, by the file's folder, which client-go leaves to
// ResolveLocalPaths.
Result<clientcmdapi::Config> LoadFromFile(const std::string& path);

// Returns the text of a kubeconfig as kubectl writes it, with all secrets; RedactSecrets
// (clientcmd_api.h) removes these.
std::string Write(const clientcmdapi::Config& config);

// Makes the file say what `config` says. Creates it, and its folder, if it is missing: for its
// owner alone. In a file that exists, only what differs is changed: other lines, their order,
// comments, and fields that clientcmdapi does not know stay. Paths below the file's folder are
// written relative to it. The file is replaced in one step, behind links, and keeps its mode. While
// that lasts, `<path>.lock` exists, which makes other programs fail; so does this function, if it
// exists already.
Result<void> WriteToFile(const clientcmdapi::Config& config, const std::string& path);

// Writes what differs between `new_config` and the files, each entry to the file that it came from
// (location_of_origin), and new ones to the default file; entries that are missing in `new_config`
// are removed from their file. A new current context goes to the default file; an empty one empties
// it in the first file that has one. `relativize_paths`: write paths that change, and are below the
// file's folder, relative to it. Files are changed as by WriteToFile, all under their locks.
// Counterpart: clientcmd.ModifyConfig, whose ConfigAccess is one of the two.
Result<void> ModifyConfig(const PathOptions& access, const clientcmdapi::Config& new_config,
                          bool relativize_paths = true);
Result<void> ModifyConfig(const ClientConfigLoadingRules& access,
                          const clientcmdapi::Config& new_config, bool relativize_paths = true);

// Makes each path that is below `base` relative to it. Empty paths, and absolute ones elsewhere,
// stay as they are. kConfig for a relative path that leads out of its folder: nobody knows which.
Result<void> RelativizePathWithNoBacksteps(const std::vector<std::string*>& paths,
                                           const std::string& base);

// Return the members that are paths, to be changed in place: those of certificates, keys and token
// files, some of them empty, and the command of a plugin if it has a slash. The pointers are good
// as long as the entry is where it is.
std::vector<std::string*> GetClusterFileReferences(clientcmdapi::Cluster& cluster);
std::vector<std::string*> GetAuthInfoFileReferences(clientcmdapi::AuthInfo& user);
std::vector<std::string*> GetConfigFileReferences(clientcmdapi::Config& config);

// ---- Using a kubeconfig.

// Returns what a client needs, by the context that `overrides` choose, or the current one.
// Counterpart: clientcmd.NewDefaultClientConfig with ClientConfig.
Result<Config> ClientConfig(const clientcmdapi::Config& config,
                            const ConfigOverrides& overrides = {});

// Asks a person for a user name and a password: writes the questions to `out`, and reads a line
// each from `in`. A terminal does not show the password if `in` is std::cin. Blocks until both are
// there; kConfig if the input ends before. Counterpart: clientcmd.PromptingAuthLoader.
Result<clientcmdapi::AuthInfo> PromptForLogin(std::istream& in, std::ostream& out);

// Returns what ClientConfig returns; asks a person for user name and password, as PromptForLogin
// does, if that has no credentials of any kind. Counterpart: clientcmd.NewInteractiveClientConfig.
Result<Config> InteractiveClientConfig(const clientcmdapi::Config& config,
                                       const ConfigOverrides& overrides, std::istream& in,
                                       std::ostream& out);

// Returns `config` with `overrides` written into the chosen context and the entries it refers to,
// which is current then; others are unchanged. Counterpart: DirectClientConfig.MergedRawConfig.
Result<clientcmdapi::Config> MergedRawConfig(const clientcmdapi::Config& config,
                                             const ConfigOverrides& overrides);

// Returns the policy for credential plugins that a kuberc file sets (kubectl's: $KUBERC, or
// ~/.kube/kuberc), for ConfigOverrides::plugin_policy; an empty one, which allows all, if the file
// does not exist or sets none. kConfig if it cannot be read.
Result<PluginPolicy> LoadPluginPolicy(const std::string& kuberc);

// Checks all entries, and returns one error with every problem (IsConfigurationInvalid, and
// IsContextNotFound if the current context is missing); IsEmptyConfig if there are none.
Result<void> Validate(const clientcmdapi::Config& config);
// Checks only this context, or the current one if it is empty, and the entries it refers to.
Result<void> ConfirmUsable(const clientcmdapi::Config& config, const std::string& context = {});

}  // namespace clientcmd

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_CLIENTCMD_H_
