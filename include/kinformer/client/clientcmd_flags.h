// kinformer/client/clientcmd_flags.h
//
// kubectl's flags that choose and override a configuration, for programs of your own.
//
//   int main(int argc, char** argv) {
//     // Takes --context, -n, --server and so on; the others stay.
//     ConfigOverrides overrides = clientcmd::TakeOverrideFlags(argc, argv).OrExit();
//     Config config = Config::LoadDefault(overrides).OrExit();
//   }
//
// A program with a library for flags registers each of these with it:
//
//   ConfigOverrides overrides;
//   for (const clientcmd::OverrideFlag& flag : clientcmd::BindOverrideFlags(overrides)) {
//     std::cout << "--" << flag.name << "  " << flag.description << '\n';
//     if (flag.name == "context") flag.set("kind-dev").OrExit();  // when it is given
//   }

#ifndef KINFORMER_CLIENT_CLIENTCMD_FLAGS_H_
#define KINFORMER_CLIENT_CLIENTCMD_FLAGS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/config.h"

namespace kinformer::clientcmd {

// One flag, with the name and meaning that it has for kubectl.
struct OverrideFlag {
  std::string name{};         // "namespace"
  std::string shorthand{};    // "n"; empty: none
  std::string value_name{};   // "NAME"; empty for a switch, whose value is "true" or "false"
  std::string description{};  // one line without a full stop
  bool repeated{false};       // each value is added to those before
  // Checks the value and writes it. kConfig names the flag, and never the value of a secret.
  std::function<Result<void>(std::string_view)> set{};
};

// Returns the flags, which write to `overrides`: it must live as long as they do. `prefix` begins
// each name, and takes away the shorthands. Counterpart: clientcmd.BindOverrideFlags with
// RecommendedConfigOverrideFlags, and --kubeconfig.
std::vector<OverrideFlag> BindOverrideFlags(ConfigOverrides& overrides,
                                            const std::string& prefix = {});

// Takes these flags out of the arguments of main: `argc` and `argv` keep all others, in their
// order. "--context=a", "--context a", "-n a", "-na" and "-n=a" are accepted; behind "--" nothing
// is taken. kConfig if a value is missing or wrong; the arguments are unchanged then.
Result<ConfigOverrides> TakeOverrideFlags(int& argc, char** argv);

// Returns the namespace without a kind before it: "team" for "ns/team", "namespace/team" and
// "NAMESPACES/team".
std::string NamespaceFlagValue(std::string_view value);

}  // namespace kinformer::clientcmd

#endif  // KINFORMER_CLIENT_CLIENTCMD_FLAGS_H_
