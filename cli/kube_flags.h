// cli/kube_flags.h
//
// The flags of kube-apiserver, and what they are to `kinformer apiserver`.

#ifndef KINFORMER_CLI_KUBE_FLAGS_H_
#define KINFORMER_CLI_KUBE_FLAGS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer::cli {

// A flag of kube-apiserver 1.37.
struct KubeFlag {
  enum class Use : std::uint8_t {
    kServed,   // means the same here
    kQuiet,    // has nothing to set here, and programs give it as a matter of course
    kIgnored,  // has no effect here, which is said
  };
  std::string_view name;
  bool is_bool;  // no value, or one after "="
  Use use;
};
// Sorted by name.
std::span<const KubeFlag> KubeFlags();

// Request of a command line of kube-apiserver.
struct KubeCommand {
  bool help = false;
  bool version = false;
  // For `kinformer apiserver`; without those of certificates.
  std::vector<std::string> arguments{};
  // Where the serving certificate is.
  std::string address{};  // for a certificate to be made
  std::string cert_dir{};
  std::string tls_cert_file{};
  std::string tls_private_key_file{};
  // Lines for standard error.
  std::vector<std::string> notices{};
};

// Reads flags in the forms --a=b and --a b, of which the last counts. Errors are kInvalidArgument:
// flags that kube-apiserver does not have, and wrong values.
Result<KubeCommand> ReadKubeFlags(const std::vector<std::string>& arguments);

// Returns the help, each flag on a line of its own.
std::string KubeFlagsHelp();

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_KUBE_FLAGS_H_
