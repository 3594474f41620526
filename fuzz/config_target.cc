// Kubeconfig files, as far as no other file is read.

#include <string>

#include "kinformer/client/clientcmd.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "config/kubeconfig.h"
#include "config/kubeconfig_value.h"
#include "config/yaml_edit.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {

namespace {

// Changes the file, as a command would, and reads it again.
void ChangeAndRead(const std::string& text) {
  const json::Value before = yaml::Parse(text).OrExit();
  json::Value after = before.is_object() ? before : json::Value::MakeObject();
  after.Set("current-context", "changed: #");
  for (const char* list : {"clusters", "users", "contexts"}) {
    json::Value* const items = after.Find(list);
    if (items == nullptr || items->size() == 0) continue;
    if (json::Value* const name = items->FindPointer("/0/name"); name != nullptr) {
      *name = "a new name";
    }
    items->Append(json::Value::MakeObject({{"name", "added"}}));
  }
  const std::string edited = internal::config::EditYaml(text, before, after);
  const Result<json::Value> read = yaml::Parse(edited);
  Require(read.ok() && *read == after, "a changed file reads as what it was changed to", edited);
  Require(internal::config::EditYaml(text, before, before) == text, "no change, no other text");
}

}  // namespace

void FuzzKubeconfig(std::string_view input) {
  const std::string text(input);
  Result<clientcmdapi::Config> parsed = internal::config::ParseKubeconfig(text, "config", "/base");
  if (!parsed) {
    Require(parsed.error().message().find("config") != std::string::npos, "an error names the file",
            parsed.error().message());
    return;
  }
  clientcmdapi::Config merged = *parsed;
  internal::config::MergeKubeconfig(merged, *parsed);
  Require(merged.clusters.size() == parsed->clusters.size() &&
              merged.auth_infos.size() == parsed->auth_infos.size() &&
              merged.contexts.size() == parsed->contexts.size() &&
              merged.current_context == parsed->current_context,
          "a file adds nothing to itself");
  clientcmdapi::Config from_nothing;
  internal::config::MergeKubeconfig(from_nothing, *parsed);
  Require(from_nothing.clusters.size() == parsed->clusters.size() &&
              from_nothing.current_context == parsed->current_context,
          "nothing and a file is the file");
  for (const auto& [name, cluster] : parsed->clusters) {
    Require(cluster.certificate_authority.empty() || cluster.certificate_authority.front() == '/',
            "paths are absolute", cluster.certificate_authority);
  }
  const std::string written = clientcmd::Write(*parsed);
  const Result<clientcmdapi::Config> again = clientcmd::Load(written);
  Require(again.ok() && clientcmd::Write(*again) == written, "what is written reads the same",
          written);
  ChangeAndRead(text);
}

}  // namespace kinformer::fuzz
