#include "config/kubeconfig_value.h"

#include <set>
#include <utility>
#include <vector>

#include "object/values/text_forms.h"

namespace kinformer::internal::config {

namespace {

using json::Value;

void SetText(Value& map, const char* name, const std::string& value) {
  if (!value.empty()) map.Set(name, value);
}

void SetData(Value& map, const char* name, const std::string& bytes) {
  if (bytes.empty()) return;
  std::string text;
  AppendBase64(bytes, text);
  map.Set(name, std::move(text));
}

void SetTrue(Value& map, const char* name, bool value) {
  if (value) map.Set(name, true);
}

void SetExtensions(Value& map, const std::map<std::string, Value>& extensions) {
  if (!extensions.empty()) map.Set("extensions", ExtensionsValue(extensions));
}

Value Strings(const std::vector<std::string>& list) {
  Value out = Value::MakeArray();
  for (const auto& item : list) out.Append(item);
  return out;
}

Value ExecValue(const ExecConfig& exec) {
  Value out = Value::MakeObject({{"apiVersion", exec.api_version},
                                 {"command", exec.command},
                                 {"interactiveMode", exec.interactive_mode},
                                 {"provideClusterInfo", exec.provide_cluster_info}});
  if (!exec.args.empty()) out.Set("args", Strings(exec.args));
  if (!exec.env.empty()) {
    Value env = Value::MakeArray();
    for (const auto& [name, value] : exec.env) {
      env.Append(Value::MakeObject({{"name", name}, {"value", value}}));
    }
    out.Set("env", std::move(env));
  }
  SetText(out, "installHint", exec.install_hint);
  return out;
}

// Returns [{name: n, <kind>: body}, ...].
template <class Map, class ToValue>
Value ListOf(const Map& map, const char* kind, const ToValue& to_value) {
  Value out = Value::MakeArray();
  for (const auto& [name, entry] : map) {
    out.Append(Value::MakeObject({{"name", name}, {kind, to_value(entry)}}));
  }
  return out;
}

}  // namespace

Value ExtensionsValue(const std::map<std::string, Value>& extensions) {
  return ListOf(extensions, "extension", [](const Value& value) { return value; });
}

Value ClusterValue(const clientcmdapi::Cluster& cluster) {
  Value out = Value::MakeObject();
  SetText(out, "server", cluster.server);
  SetText(out, "tls-server-name", cluster.tls_server_name);
  SetTrue(out, "insecure-skip-tls-verify", cluster.insecure_skip_tls_verify);
  SetText(out, "certificate-authority", cluster.certificate_authority);
  SetData(out, "certificate-authority-data", cluster.certificate_authority_data);
  SetText(out, "proxy-url", cluster.proxy_url);
  SetTrue(out, "disable-compression", cluster.disable_compression);
  SetExtensions(out, cluster.extensions);
  return out;
}

Value UserValue(const clientcmdapi::AuthInfo& user) {
  Value out = Value::MakeObject();
  SetText(out, "client-certificate", user.client_certificate);
  SetData(out, "client-certificate-data", user.client_certificate_data);
  SetText(out, "client-key", user.client_key);
  SetData(out, "client-key-data", user.client_key_data);
  SetText(out, "token", user.token);
  SetText(out, "tokenFile", user.token_file);
  SetText(out, "as", user.impersonate);
  SetText(out, "as-uid", user.impersonate_uid);
  if (!user.impersonate_groups.empty()) out.Set("as-groups", Strings(user.impersonate_groups));
  if (!user.impersonate_user_extra.empty()) {
    Value extra = Value::MakeObject();
    for (const auto& [key, values] : user.impersonate_user_extra) extra.Set(key, Strings(values));
    out.Set("as-user-extra", std::move(extra));
  }
  SetText(out, "username", user.username);
  SetText(out, "password", user.password);
  if (user.auth_provider) {
    Value settings = Value::MakeObject();
    for (const auto& [key, value] : user.auth_provider->config) settings.Set(key, value);
    out.Set("auth-provider", Value::MakeObject({{"name", user.auth_provider->name},
                                                {"config", std::move(settings)}}));
  }
  if (user.exec) out.Set("exec", ExecValue(*user.exec));
  SetExtensions(out, user.extensions);
  return out;
}

Value ContextValue(const clientcmdapi::Context& context) {
  Value out = Value::MakeObject({{"cluster", context.cluster}, {"user", context.auth_info}});
  SetText(out, "namespace", context.namespace_);
  SetExtensions(out, context.extensions);
  return out;
}

Value PreferencesValue(const clientcmdapi::Preferences& preferences) {
  Value out = Value::MakeObject();
  SetTrue(out, "colors", preferences.colors);
  SetExtensions(out, preferences.extensions);
  return out;
}

Value KubeconfigValue(const clientcmdapi::Config& config) {
  Value out = Value::MakeObject({{"apiVersion", "v1"},
                                 {"kind", "Config"},
                                 {"clusters", ListOf(config.clusters, "cluster", ClusterValue)},
                                 {"users", ListOf(config.auth_infos, "user", UserValue)},
                                 {"contexts", ListOf(config.contexts, "context", ContextValue)},
                                 {"current-context", config.current_context}});
  Value preferences = PreferencesValue(config.preferences);
  if (preferences.size() > 0) out.Set("preferences", std::move(preferences));
  SetExtensions(out, config.extensions);
  return out;
}

Value* ItemNamed(Value& list, const std::string& name) {
  json::Array* const items = list.IfArray();
  if (items == nullptr) return nullptr;
  for (Value& item : *items) {
    if (item["name"].is_string() && item["name"].StringOrEmpty() == name) return &item;
  }
  return nullptr;
}

bool IsListOfNamed(const Value& list) {
  std::set<std::string> names;
  for (const Value& item : list.items()) {
    const Value& name = item["name"];
    if (!name.is_string() || !names.insert(name.StringOrEmpty()).second) return false;
  }
  return !names.empty();
}

namespace {

// Makes the changes in a list of things with names.
void ApplyToNamed(Value& target, const Value& from, const Value& to) {
  for (const Value& before : from.items()) {
    const std::string& name = before["name"].StringOrEmpty();
    bool stays = false;
    for (const Value& after : to.items()) stays = stays || after["name"].StringOrEmpty() == name;
    if (stays) continue;
    std::erase_if(target.EnsureArray(),
                  [&](const Value& item) { return item["name"].StringOrEmpty() == name; });
  }
  static const Value kNone;
  for (const Value& after : to.items()) {
    const std::string& name = after["name"].StringOrEmpty();
    const Value* before = &kNone;
    for (const Value& item : from.items()) {
      if (item["name"].StringOrEmpty() == name) before = &item;
    }
    if (*before == after) continue;
    if (Value* const item = ItemNamed(target, name); item != nullptr) {
      ApplyChange(*item, *before, after);
    } else {
      target.Append(after);
    }
  }
}

}  // namespace

void ApplyChange(Value& target, const Value& from, const Value& to) {
  if (from == to) return;
  const auto named_or_empty = [](const Value& list) {
    return list.is_array() && (list.size() == 0 || IsListOfNamed(list));
  };
  if (target.is_array() && named_or_empty(target) && named_or_empty(to) &&
      (from.is_null() || named_or_empty(from))) {
    ApplyToNamed(target, from, to);
    return;
  }
  if (!target.is_object() || !to.is_object()) {
    target = to;
    return;
  }
  for (const auto& [name, before] : from.members()) {
    if (!to.contains(name)) target.Erase(name);
  }
  for (const auto& [name, after] : to.members()) {
    if (after == from[name] && from.contains(name)) continue;
    if (Value* const member = target.Find(name); member != nullptr) {
      ApplyChange(*member, from[name], after);
    } else {
      target.Set(name, after);
    }
  }
}

}  // namespace kinformer::internal::config
