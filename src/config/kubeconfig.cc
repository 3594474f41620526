#include "config/kubeconfig.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "base/text/regular_file.h"
#include "config/path_hint.h"
#include "object/values/text_forms.h"

namespace kinformer::internal::config {

namespace {

using clientcmdapi::AuthInfo;
using clientcmdapi::Cluster;
using clientcmdapi::Context;
using json::Value;

// Far above the size of any kubeconfig, certificate or token.
constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;

Error Bad(const std::string& where, const std::string& why) {
  return Error(Reason::kConfig, where + ": " + why);
}

// Returns the field's name in one spelling: "token-file" and "tokenFile" are the same.
std::string Squashed(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// Reads one map of a kubeconfig. The first error is the one that it reports. Ignores fields
// that nobody reads, unless they are known ones in another spelling.
class Fields {
 public:
  Fields(const Value& map, std::string where) : where_(std::move(where)) {
    if (map.is_object()) {
      map_ = &map;
    } else if (!map.is_null()) {
      error_ = Bad(where_, "must be a map, is a " + std::string(json::TypeName(map.type())));
    }
  }

  void String(const char* name, std::string& out) {
    const Value* value = Find(name);
    if (value == nullptr) return;
    if (!value->is_string()) {
      Fail(name, "must be a string, is a " + std::string(json::TypeName(value->type())) +
                     "; put it in quotes");
      return;
    }
    out = value->StringOrEmpty();
  }

  void Bool(const char* name, bool& out) {
    const Value* value = Find(name);
    if (value == nullptr) return;
    const std::optional<bool> given = value->AsBool();
    out = given.value_or(false);
    if (!given) Fail(name, "must be true or false");
  }

  void Data(const char* name, std::string& out) {
    std::string text;
    String(name, text);
    auto decoded = Base64Decode(text);
    if (!decoded) {
      Fail(name,
           "is not base64; for PEM text encode it with `base64 -w0`, for a file use the field "
           "without \"-data\"");
      return;
    }
    out = *std::move(decoded);
  }

  void Strings(const char* name, std::vector<std::string>& out) {
    const Value* value = Find(name);
    if (value == nullptr) return;
    if (!value->is_array()) {
      Fail(name, "must be a list of strings");
      return;
    }
    for (const Value& item : value->items()) {
      if (!item.is_string()) {
        Fail(name, "must be a list of strings");
        return;
      }
      out.push_back(item.StringOrEmpty());
    }
  }

  // Returns null if it is absent.
  const Value* Find(const char* name) const {
    if (map_ == nullptr) return nullptr;
    const Value* value = map_->Find(name);
    if (value == nullptr) missed_.emplace_back(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  void Fail(const char* name, const std::string& why) {
    if (!error_) error_ = Bad(where_.empty() ? name : where_ + "." + name, why);
  }
  void Take(const Result<void>& result) {
    if (!result && !error_) error_ = result.error();
  }
  [[nodiscard]] std::string At(const char* name) const {
    return where_.empty() ? name : where_ + "." + name;
  }
  [[nodiscard]] Result<void> result() const {
    if (error_) return *error_;
    if (map_ == nullptr) return {};
    for (const auto& [given, ignored] : map_->members()) {
      for (const std::string& known : missed_) {
        if (given == known || Squashed(given) != Squashed(known)) continue;
        return Bad(At(given.c_str()), "is no field of a kubeconfig: write " + known);
      }
    }
    return {};
  }

 private:
  const Value* map_ = nullptr;
  std::string where_;
  mutable std::vector<std::string> missed_;  // asked for, and not there
  std::optional<Error> error_;
};

// Calls read(name, body, where) for each {name: ..., <kind>: {...}} of a list.
template <class Read>
Result<void> EachNamed(const Value& root, const char* list, const char* kind, Read read) {
  const Value* items = root.Find(list);
  if (items == nullptr || items->is_null()) return {};
  if (!items->is_array()) return Bad(list, "must be a list");
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Value& item : items->items()) {
    const std::string at = std::string(list) + "[" + std::to_string(index++) + "]";
    Fields fields(item, at);
    std::string name;
    fields.String("name", name);
    auto result = fields.result();
    if (!result) return result;
    if (!seen.insert(name).second) {
      return Bad(at + ".name", "a second " + std::string(kind) + " is called \"" + name +
                                   "\"; names must be distinct");
    }
    const Value* body = fields.Find(kind);
    static const Value kNothing;
    result = read(name, body == nullptr ? kNothing : *body, at + "." + kind);
    if (!result) return Error(result.error()).WithContext(std::string(kind) + " \"" + name + "\"");
  }
  return {};
}

// Reads the list `extensions` of `body`; each name occurs once.
Result<void> ReadExtensions(const Value& body, const std::string& where,
                            std::map<std::string, Value>& out) {
  const Value* list = body.Find("extensions");
  if (list == nullptr || list->is_null()) return {};
  const std::string at = where.empty() ? "extensions" : where + ".extensions";
  if (!list->is_array()) return Bad(at, "must be a list");
  for (const Value& item : list->items()) {
    Fields fields(item, at);
    std::string name;
    fields.String("name", name);
    auto result = fields.result();
    if (!result) return result.error();
    const Value* value = fields.Find("extension");
    if (!out.emplace(name, value == nullptr ? Value() : *value).second) {
      return Bad(at, "a second extension is called \"" + name + "\"");
    }
  }
  return {};
}

Result<void> ReadExec(const Value& body, const std::string& where, ExecConfig& out) {
  Fields fields(body, where);
  fields.String("command", out.command);
  fields.Strings("args", out.args);
  fields.String("apiVersion", out.api_version);
  fields.String("installHint", out.install_hint);
  fields.String("interactiveMode", out.interactive_mode);
  fields.Bool("provideClusterInfo", out.provide_cluster_info);
  if (const Value* env = fields.Find("env")) {
    if (!env->is_array()) fields.Fail("env", "must be a list");
    for (const Value& item : env->items()) {
      Fields entry(item, fields.At("env"));
      std::pair<std::string, std::string> variable;
      entry.String("name", variable.first);
      entry.String("value", variable.second);
      fields.Take(entry.result());
      out.env.push_back(std::move(variable));
    }
  }
  // As in clientcmd's defaulting: these versions do not have the field yet.
  const bool old = out.api_version == "client.authentication.k8s.io/v1beta1" ||
                   out.api_version == "client.authentication.k8s.io/v1alpha1";
  if (old && out.interactive_mode.empty()) out.interactive_mode = "IfAvailable";
  return fields.result();
}

std::string Resolved(const std::string& path, const std::string& base_dir) {
  if (path.empty() || base_dir.empty() || std::filesystem::path(path).is_absolute()) return path;
  return (std::filesystem::path(base_dir) / path).lexically_normal().string();
}

// Removes control characters: a line break or an escape sequence in a hint would let a kubeconfig
// write anything to the user's terminal.
std::string WithoutControls(const std::string& text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += "U+00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out;
}

Result<void> ReadCluster(const Value& body, const std::string& where, const std::string& base_dir,
                         Cluster& out) {
  Fields fields(body, where);
  fields.String("server", out.server);
  fields.String("tls-server-name", out.tls_server_name);
  fields.Bool("insecure-skip-tls-verify", out.insecure_skip_tls_verify);
  fields.String("certificate-authority", out.certificate_authority);
  fields.Data("certificate-authority-data", out.certificate_authority_data);
  fields.String("proxy-url", out.proxy_url);
  fields.Bool("disable-compression", out.disable_compression);
  fields.Take(ReadExtensions(body, where, out.extensions));
  out.certificate_authority = Resolved(out.certificate_authority, base_dir);
  return fields.result();
}

void ReadImpersonation(Fields& fields, AuthInfo& out) {
  fields.String("as", out.impersonate);
  fields.String("as-uid", out.impersonate_uid);
  fields.Strings("as-groups", out.impersonate_groups);
  const Value* extra = fields.Find("as-user-extra");
  if (extra == nullptr) return;
  Fields entries(*extra, fields.At("as-user-extra"));
  if (extra->is_object()) {
    for (const auto& [key, ignored] : extra->members()) {
      entries.Strings(key.c_str(), out.impersonate_user_extra[key]);
    }
  }
  fields.Take(entries.result());
}

// Checks the values that are read from the settings later on (OidcOf).
void CheckOidc(Fields& known) {
  std::string checked;
  for (const char* key : {"id-token", "idp-issuer-url", "client-id", "client-secret",
                          "refresh-token", "idp-certificate-authority"}) {
    known.String(key, checked);
  }
  known.Data("idp-certificate-authority-data", checked);
}

void ReadPlugins(Fields& fields, const std::string& base_dir, AuthInfo& out) {
  if (const Value* provider = fields.Find("auth-provider")) {
    clientcmdapi::AuthProviderConfig& read = out.auth_provider.emplace();
    Fields entry(*provider, fields.At("auth-provider"));
    entry.String("name", read.name);
    if (const Value* settings = entry.Find("config"); settings != nullptr) {
      Fields known(*settings, entry.At("config"));
      for (const auto& [key, value] : settings->members()) {
        if (value.is_string()) read.config[key] = value.StringOrEmpty();
      }
      if (read.name == "oidc") CheckOidc(known);
      entry.Take(known.result());
    }
    fields.Take(entry.result());
  }
  if (const Value* exec = fields.Find("exec")) {
    fields.Take(ReadExec(*exec, fields.At("exec"), out.exec.emplace()));
    out.exec->install_hint = WithoutControls(out.exec->install_hint);
    // A name without a slash is searched in PATH.
    if (out.exec->command.find('/') != std::string::npos) {
      out.exec->command = Resolved(out.exec->command, base_dir);
    }
  }
}

Result<void> ReadUser(const Value& body, const std::string& where, const std::string& base_dir,
                      AuthInfo& out) {
  Fields fields(body, where);
  fields.String("client-certificate", out.client_certificate);
  fields.Data("client-certificate-data", out.client_certificate_data);
  fields.String("client-key", out.client_key);
  fields.Data("client-key-data", out.client_key_data);
  fields.String("token", out.token);
  fields.String("tokenFile", out.token_file);
  fields.String("username", out.username);
  fields.String("password", out.password);
  ReadImpersonation(fields, out);
  ReadPlugins(fields, base_dir, out);
  fields.Take(ReadExtensions(body, where, out.extensions));
  out.client_certificate = Resolved(out.client_certificate, base_dir);
  out.client_key = Resolved(out.client_key, base_dir);
  out.token_file = Resolved(out.token_file, base_dir);
  return fields.result();
}

Result<void> ReadContext(const Value& body, const std::string& where, Context& out) {
  Fields fields(body, where);
  fields.String("cluster", out.cluster);
  fields.String("user", out.auth_info);
  fields.String("namespace", out.namespace_);
  fields.Take(ReadExtensions(body, where, out.extensions));
  return fields.result();
}

Result<void> ReadPreferences(const Value& body, clientcmdapi::Preferences& out) {
  Fields fields(body, "preferences");
  fields.Bool("colors", out.colors);
  fields.Take(ReadExtensions(body, "preferences", out.extensions));
  return fields.result();
}

Result<void> ReadHead(const Value& root, clientcmdapi::Config& out) {
  Fields top(root, "");
  std::string kind;
  std::string api_version;
  top.String("kind", kind);
  top.String("apiVersion", api_version);
  top.String("current-context", out.current_context);
  if (!kind.empty() && kind != "Config") top.Fail("kind", "is \"" + kind + "\", expected Config");
  if (!api_version.empty() && api_version != "v1") {
    top.Fail("apiVersion", "is \"" + api_version + "\", expected v1");
  }
  if (const Value* preferences = top.Find("preferences")) {
    top.Take(ReadPreferences(*preferences, out.preferences));
  }
  top.Take(ReadExtensions(root, "", out.extensions));
  return top.result();
}

}  // namespace

Result<std::string> ReadConfigFile(const std::string& path, const std::string& what) {
  Result<std::string> text = base::ReadRegularFile(path, kMaxFileBytes);
  if (text) return text;
  return Error(Reason::kConfig,
               "cannot read " + what + " " + path + ": " + text.error().message() + PathHint(path));
}

Result<clientcmdapi::Config> ParseKubeconfig(std::string_view text, const std::string& origin,
                                             const std::string& base_dir) {
  const auto located = [&](const Error& error) {
    return origin.empty() ? Error(Reason::kConfig, "kubeconfig: " + error.message())
                          : Error(Reason::kConfig, origin + ": " + error.message());
  };
  auto parsed = yaml::Parse(text);
  if (!parsed) return located(parsed.error());
  const Value& root = *parsed;
  clientcmdapi::Config out;
  out.location_of_origin = origin;
  if (root.is_null()) return out;
  if (!root.is_object()) {
    return located(Error(Reason::kConfig,
                         "this is no kubeconfig: expected a map with clusters, users "
                         "and contexts, found a " +
                             std::string(json::TypeName(root.type()))));
  }
  Result<void> result = ReadHead(root, out);
  if (!result) return located(result.error());
  result = EachNamed(root, "clusters", "cluster",
                     [&](const std::string& name, const Value& body, const std::string& where) {
                       Cluster& cluster = out.clusters[name];
                       cluster.location_of_origin = origin;
                       return ReadCluster(body, where, base_dir, cluster);
                     });
  if (!result) return located(result.error());
  result = EachNamed(root, "users", "user",
                     [&](const std::string& name, const Value& body, const std::string& where) {
                       AuthInfo& user = out.auth_infos[name];
                       user.location_of_origin = origin;
                       return ReadUser(body, where, base_dir, user);
                     });
  if (!result) return located(result.error());
  result = EachNamed(root, "contexts", "context",
                     [&](const std::string& name, const Value& body, const std::string& where) {
                       Context& context = out.contexts[name];
                       context.location_of_origin = origin;
                       return ReadContext(body, where, context);
                     });
  if (!result) return located(result.error());
  return out;
}

Result<clientcmdapi::Config> ReadKubeconfig(const std::string& path) {
  auto text = ReadConfigFile(path, "kubeconfig");
  if (!text) return text.error();
  std::error_code ignored;
  return ParseKubeconfig(*text, path,
                         std::filesystem::absolute(path, ignored).parent_path().string());
}

void MergeKubeconfig(clientcmdapi::Config& base, const clientcmdapi::Config& more) {
  base.clusters.insert(more.clusters.begin(), more.clusters.end());
  base.auth_infos.insert(more.auth_infos.begin(), more.auth_infos.end());
  base.contexts.insert(more.contexts.begin(), more.contexts.end());
  base.extensions.insert(more.extensions.begin(), more.extensions.end());
  base.preferences.colors = base.preferences.colors || more.preferences.colors;
  base.preferences.extensions.insert(more.preferences.extensions.begin(),
                                     more.preferences.extensions.end());
  if (base.current_context.empty()) base.current_context = more.current_context;
  const std::string& origin = more.location_of_origin;
  if (origin.empty()) return;
  base.location_of_origin += (base.location_of_origin.empty() ? "" : ":") + origin;
}

}  // namespace kinformer::internal::config
