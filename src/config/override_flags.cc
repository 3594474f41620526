// kubectl's flags that override a configuration.

#include <cctype>
#include <cstddef>
#include <optional>
#include <utility>

#include "kinformer/client/clientcmd_flags.h"

#include "base/text/bool_in.h"
#include "config/kubeconfig.h"

namespace kinformer::clientcmd {

namespace {

Error Wrong(const std::string& name, const std::string& why) {
  return Error(Reason::kConfig, "--" + name + ": " + why);
}

// Adds flags to a list.
class Binder {
 public:
  Binder(std::string prefix, std::vector<OverrideFlag>& flags)
      : prefix_(std::move(prefix)), flags_(flags) {}

  OverrideFlag& Text(const char* name, const char* value_name, std::string& value,
                     const char* description) {
    return Add(name, value_name, description, [&value](std::string_view given) -> Result<void> {
      value = given;
      return {};
    });
  }
  void Switch(const char* name, std::optional<bool>& value, const char* description) {
    Add(name, "", description, [&value, flag = prefix_ + name](std::string_view g) -> Result<void> {
      const std::optional<bool> read = internal::base::BoolIn(g);
      if (!read) return Wrong(flag, "\"" + std::string(g) + "\" is neither true nor false");
      value = read;
      return {};
    });
  }
  OverrideFlag& Add(const char* name, const char* value_name, const char* description,
                    std::function<Result<void>(std::string_view)> set) {
    return flags_.emplace_back(OverrideFlag{.name = prefix_ + name,
                                            .value_name = value_name,
                                            .description = description,
                                            .set = std::move(set)});
  }
  void Shorthand(OverrideFlag& flag, const char* letter) const {
    if (prefix_.empty()) flag.shorthand = letter;
  }
  [[nodiscard]] std::string Name(const char* name) const { return prefix_ + name; }

 private:
  const std::string prefix_;
  std::vector<OverrideFlag>& flags_;
};

void BindIdentity(Binder& bind, ImpersonationConfig& as) {
  bind.Text("as", "USER", as.user_name, "user to act as");
  bind.Text("as-uid", "UID", as.uid, "UID to act with");
  bind.Add("as-group", "GROUP", "group to act as a member of; may be repeated",
           [&as](std::string_view given) -> Result<void> {
             as.groups.emplace_back(given);
             return {};
           })
      .repeated = true;
  bind.Add("as-user-extra", "KEY=VALUE", "extra field to act with; may be repeated",
           [&as, flag = bind.Name("as-user-extra")](std::string_view given) -> Result<void> {
             const std::size_t equals = given.find('=');
             if (equals == std::string_view::npos || equals == 0) {
               return Wrong(flag, "\"" + std::string(given) + "\" must be KEY=VALUE");
             }
             as.extra[std::string(given.substr(0, equals))].emplace_back(given.substr(equals + 1));
             return {};
           })
      .repeated = true;
}

// The argument of main that names a flag.
struct Given {
  const OverrideFlag* flag = nullptr;
  std::optional<std::string> value{};  // if it stands in the same argument
};

Given FlagIn(const std::vector<OverrideFlag>& flags, std::string_view argument) {
  for (const OverrideFlag& flag : flags) {
    const std::string whole = "--" + flag.name;
    if (argument == whole) return {.flag = &flag};
    if (argument.starts_with(whole + "=")) {
      return {.flag = &flag, .value = std::string(argument.substr(whole.size() + 1))};
    }
    if (flag.shorthand.empty() || !argument.starts_with("-" + flag.shorthand)) continue;
    std::string_view rest = argument.substr(1 + flag.shorthand.size());
    if (rest.empty()) return {.flag = &flag};
    if (rest.front() == '=') rest.remove_prefix(1);
    return {.flag = &flag, .value = std::string(rest)};
  }
  return {};
}

}  // namespace

std::string NamespaceFlagValue(std::string_view value) {
  const std::size_t slash = value.find('/');
  if (slash == std::string_view::npos) return std::string(value);
  std::string kind;
  for (const char c : value.substr(0, slash)) {
    kind += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const bool known = kind == "ns" || kind == "namespace" || kind == "namespaces";
  return std::string(known ? value.substr(slash + 1) : value);
}

std::vector<OverrideFlag> BindOverrideFlags(ConfigOverrides& o, const std::string& prefix) {
  std::vector<OverrideFlag> out;
  Binder bind(prefix, out);
  bind.Text("kubeconfig", "FILE", o.kubeconfig,
            "kubeconfig to use in place of $KUBECONFIG or ~/.kube/config");
  bind.Text("context", "NAME", o.context, "context of the kubeconfig to use");
  bind.Text("cluster", "NAME", o.cluster, "cluster of the kubeconfig to use");
  bind.Text("user", "NAME", o.user, "user of the kubeconfig to use");
  bind.Shorthand(bind.Add("namespace", "NAME", "namespace to use in place of the context's",
                          [&o](std::string_view given) -> Result<void> {
                            o.namespace_ = NamespaceFlagValue(given);
                            return {};
                          }),
                 "n");
  bind.Shorthand(bind.Text("server", "URL", o.server, "address of the API server"), "s");
  bind.Text("tls-server-name", "NAME", o.tls_server_name,
            "name to look for in the server's certificate");
  bind.Switch("insecure-skip-tls-verify", o.insecure_skip_tls_verify,
              "do not check the server's certificate");
  bind.Text("certificate-authority", "FILE", o.certificate_authority,
            "CA that signed the server's certificate");
  bind.Text("client-certificate", "FILE", o.client_certificate, "client certificate");
  bind.Text("client-key", "FILE", o.client_key, "key of the client certificate");
  bind.Text("token", "TOKEN", o.token, "bearer token");
  bind.Text("username", "NAME", o.username, "user name for basic authentication");
  bind.Text("password", "PASSWORD", o.password, "password for basic authentication");
  BindIdentity(bind, o.impersonate);
  bind.Text("proxy-url", "URL", o.proxy_url, "proxy to reach the server through");
  bind.Switch("disable-compression", o.disable_compression, "ask for answers without compression");
  bind.Add("request-timeout", "DURATION", "limit for each request that is no watch: 30, 1m30s",
           [&o, flag = bind.Name("request-timeout")](std::string_view given) -> Result<void> {
             o.timeout = given;
             if (auto parsed = internal::config::ParseTimeout(o.timeout); !parsed) {
               return Error(parsed.error()).WithContext("--" + flag);
             }
             return {};
           });
  return out;
}

Result<ConfigOverrides> TakeOverrideFlags(int& argc, char** argv) {
  ConfigOverrides out;
  const std::vector<OverrideFlag> flags = BindOverrideFlags(out);
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    if (i > 0 && argument == "--") {
      rest.insert(rest.end(), argv + i, argv + argc);
      break;
    }
    Given given = i == 0 ? Given() : FlagIn(flags, argument);
    if (given.flag == nullptr) {
      rest.push_back(argv[i]);
      continue;
    }
    if (!given.value && given.flag->value_name.empty()) given.value = "true";
    if (!given.value && i + 1 < argc) given.value = argv[++i];
    if (!given.value) {
      return Wrong(given.flag->name, "needs a value behind it: " + given.flag->value_name);
    }
    if (Result<void> done = given.flag->set(*given.value); !done) return done.error();
  }
  for (std::size_t i = 0; i < rest.size(); ++i) argv[i] = rest[i];
  // main's list of arguments ends with a null.
  if (rest.size() < static_cast<std::size_t>(argc)) argv[rest.size()] = nullptr;
  argc = static_cast<int>(rest.size());
  return out;
}

}  // namespace kinformer::clientcmd
