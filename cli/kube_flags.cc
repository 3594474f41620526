#include "cli/kube_flags.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "apiserver/builtin/plugin_names.h"
#include "base/text/bool_in.h"
#include "base/text/number_in.h"

namespace kinformer::cli {
namespace {

Error Wrong(std::string_view flag, const std::string& value, std::string_view why) {
  return {Reason::kInvalidArgument,
          "--" + std::string(flag) + " \"" + value + "\" " + std::string(why)};
}

const KubeFlag* FindFlag(std::string_view name) {
  const std::span<const KubeFlag> flags = KubeFlags();
  const auto found = std::lower_bound(
      flags.begin(), flags.end(), name,
      [](const KubeFlag& flag, std::string_view wanted) { return flag.name < wanted; });
  return found == flags.end() || found->name != name ? nullptr : &*found;
}

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

// The last value of each flag. Names without dashes.
class Given {
 public:
  Result<void> Read(const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      std::string_view text = arguments[i];
      if (text.size() < 2 || text[0] != '-') {
        return Error(Reason::kInvalidArgument,
                     "kube-apiserver takes flags only, not \"" + arguments[i] + "\"");
      }
      const bool is_short = text[1] != '-';
      text.remove_prefix(is_short ? 1 : 2);
      const std::size_t equals = text.find('=');
      std::string name(text.substr(0, equals));
      if (name == "h") name = "help";
      std::replace(name.begin(), name.end(), '_', '-');
      std::optional<std::string> value;
      if (equals != std::string_view::npos) value = text.substr(equals + 1);
      // -v2
      if (is_short && name.size() > 1 && name[0] == 'v' && !value) {
        value = name.substr(1);
        name = "v";
      }
      const KubeFlag* const flag = FindFlag(name);
      if (flag == nullptr || (is_short && name != "v" && name != "help")) {
        return Error(Reason::kInvalidArgument, "unknown flag: " + arguments[i]);
      }
      if (!value && flag->is_bool) value = "true";
      if (!value) {
        if (i + 1 == arguments.size()) {
          return Error(Reason::kInvalidArgument, "flag needs an argument: " + arguments[i]);
        }
        value = arguments[++i];
      }
      if (flag->is_bool && name != "version" && !internal::base::BoolIn(*value)) {
        return Wrong(name, *value, "is neither true nor false");
      }
      values_[name] = *std::move(value);
    }
    return {};
  }

  [[nodiscard]] std::optional<std::string> Get(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    return found->second;
  }
  [[nodiscard]] std::string Or(const std::string& name, std::string otherwise) const {
    return Get(name).value_or(std::move(otherwise));
  }
  [[nodiscard]] bool IsTrue(const std::string& name) const {
    return internal::base::BoolIn(Or(name, "false")).value_or(false);
  }
  [[nodiscard]] const std::map<std::string, std::string>& values() const { return values_; }

 private:
  std::map<std::string, std::string> values_;
};

Result<std::string> ListenOf(const Given& given, std::string& address) {
  const std::string port = given.Or("secure-port", "6443");
  if (internal::base::NumberIn<std::uint16_t>(port).value_or(0) == 0) {
    return Wrong("secure-port", port, "is not a port from 1 to 65535");
  }
  address = given.Or("bind-address", "127.0.0.1");
  return (address.find(':') == std::string::npos ? address : "[" + address + "]") + ":" + port;
}

// Returns the value for --authorization-mode of `kinformer apiserver`.
Result<std::string> ModeOf(const std::string& modes) {
  bool rbac = false;
  bool node = false;
  for (const std::string& mode : Split(modes)) {
    if (mode == "AlwaysAllow") return std::string("AlwaysAllow");
    if (mode != "RBAC" && mode != "Node") {
      return Wrong("authorization-mode", modes, "is not AlwaysAllow, RBAC or Node,RBAC");
    }
    rbac = rbac || mode == "RBAC";
    node = node || mode == "Node";
  }
  if (rbac) return std::string(node ? "Node,RBAC" : "RBAC");
  return Wrong("authorization-mode", modes, "is not AlwaysAllow, RBAC or Node,RBAC");
}

// Returns the IPv4 range of a list of ranges.
Result<std::string> RangeOf(const std::string& ranges) {
  for (const std::string& range : Split(ranges)) {
    if (range.find(':') == std::string::npos) return range;
  }
  return Wrong("service-cluster-ip-range", ranges,
               "has no range of IPv4 addresses, such as 10.0.0.0/24");
}

Result<void> ReadFeatureGates(const std::string& gates, KubeCommand& command) {
  for (const std::string& gate : Split(gates)) {
    const std::size_t equals = gate.find('=');
    const std::string name = gate.substr(0, equals);
    const std::optional<bool> on = equals == std::string::npos
                                       ? std::nullopt
                                       : internal::base::BoolIn(gate.substr(equals + 1));
    if (!on) return Wrong("feature-gates", gate, "is not NAME=true or NAME=false");
    if (name == "ShardedListAndWatch") {
      if (*on) command.arguments.emplace_back("--sharded-list-and-watch");
    } else if (name == "WatchList") {
      if (!*on) command.arguments.emplace_back("--no-watch-list");
    } else {
      command.notices.push_back("the feature gate " + name + " is ignored");
    }
  }
  return {};
}

// Runs the plug-ins that kube-apiserver runs, as far as they are here.
Result<void> ReadPlugins(const Given& given, KubeCommand& command) {
  using apiserver::KindOfPlugin;
  using apiserver::PluginKind;
  // The optional ones of this server that kube-apiserver has on.
  std::string enabled =
      "DefaultStorageClass,LimitRanger,PodSecurity,ResourceQuota,ServiceAccount,"
      "TaintNodesByCondition";
  std::string disabled;
  for (const char* const flag : {"enable-admission-plugins", "disable-admission-plugins"}) {
    const bool enables = flag[0] == 'e';
    for (const std::string& name : Split(given.Or(flag, ""))) {
      const PluginKind kind = KindOfPlugin(name);
      if (kind == PluginKind::kUnknown) return Wrong(flag, name, "is no admission plug-in");
      if (kind == PluginKind::kMissing) {
        if (enables) command.notices.push_back("the admission plug-in " + name + " is ignored");
      } else if (kind == PluginKind::kFixed) {
        if (!enables) command.notices.push_back("the admission plug-in " + name + " stays on");
      } else {
        (enables ? enabled : disabled) += "," + name;
      }
    }
  }
  command.arguments.push_back("--enable-admission-plugins=" + enabled);
  if (!disabled.empty()) {
    command.arguments.push_back("--disable-admission-plugins=" + disabled.substr(1));
  }
  return {};
}

// Adds the option if the flag was given.
void Pass(const Given& given, const std::string& name, std::vector<std::string>& arguments) {
  if (const auto value = given.Get(name)) arguments.push_back("--" + name + "=" + *value);
}

}  // namespace

Result<KubeCommand> ReadKubeFlags(const std::vector<std::string>& arguments) {
  Given given;
  if (Result<void> read = given.Read(arguments); !read) return read.error();
  KubeCommand command;
  command.help = given.IsTrue("help");
  command.version = given.Get("version").has_value();
  if (command.help || command.version) return command;
  for (const auto& [name, value] : given.values()) {
    if (FindFlag(name)->use == KubeFlag::Use::kIgnored) {
      command.notices.push_back("--" + name + " is ignored: this server has no such setting");
    }
  }
  std::vector<std::string>& out = command.arguments;
  const Result<std::string> listen = ListenOf(given, command.address);
  if (!listen) return listen.error();
  const Result<std::string> mode = ModeOf(given.Or("authorization-mode", "AlwaysAllow"));
  if (!mode) return mode.error();
  out = {"apiserver", "--listen=" + *listen, "--authorization-mode=" + *mode,
         // The parts of kube-controller-manager are left to one; kubelets and owners of fields are
         // as with a real server.
         "--no-garbage-collection", "--no-namespace-finalization", "--no-admission-controllers",
         "--pod-grace", "--field-owners"};
  if (Result<void> plugins = ReadPlugins(given, command); !plugins) return plugins.error();
  for (const char* const name :
       {"advertise-address", "client-ca-file", "event-ttl", "token-auth-file"}) {
    Pass(given, name, out);
  }
  if (given.Get("audit-log-path")) {
    if (given.Get("audit-policy-file")) {
      for (const char* const name : {"audit-log-path", "audit-policy-file", "audit-log-format"}) {
        Pass(given, name, out);
      }
    } else {
      command.notices.emplace_back(
          "--audit-log-path has no effect without --audit-policy-file: no event would be written");
    }
  }
  if (given.Get("service-account-signing-key-file")) {
    for (const char* const name : {"service-account-signing-key-file", "service-account-key-file",
                                   "service-account-issuer", "service-account-jwks-uri"}) {
      Pass(given, name, out);
    }
  }
  if (const auto ranges = given.Get("service-cluster-ip-range")) {
    const Result<std::string> range = RangeOf(*ranges);
    if (!range) return range.error();
    out.push_back("--service-cluster-ip-range=" + *range);
  }
  if (given.Get("anonymous-auth") && !given.IsTrue("anonymous-auth")) {
    out.emplace_back("--require-client-certificate");
  }
  Result<void> gates = ReadFeatureGates(given.Or("feature-gates", ""), command);
  if (!gates) return gates.error();
  command.cert_dir = given.Or("cert-dir", "");
  command.tls_cert_file = given.Or("tls-cert-file", "");
  command.tls_private_key_file = given.Or("tls-private-key-file", "");
  if (command.tls_cert_file.empty() != command.tls_private_key_file.empty()) {
    return Error(Reason::kInvalidArgument,
                 "--tls-cert-file and --tls-private-key-file go together");
  }
  return command;
}

std::string KubeFlagsHelp() {
  std::string out =
      "kinformer's API server under the name and with the flags of kube-apiserver, for envtest.\n"
      "Flags that are served:\n\n";
  const auto list = [&](auto wanted) {
    for (const KubeFlag& flag : KubeFlags()) {
      if (!wanted(flag)) continue;
      out += "      --" + std::string(flag.name) + (flag.is_bool ? "" : " value") + "\n";
    }
  };
  list([](const KubeFlag& flag) { return flag.use == KubeFlag::Use::kServed; });
  out += "\nFlags that are accepted and have no effect:\n\n";
  list([](const KubeFlag& flag) { return flag.use != KubeFlag::Use::kServed; });
  return out;
}

}  // namespace kinformer::cli
