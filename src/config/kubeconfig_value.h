// config/kubeconfig_value.h
//
// Entries of a kubeconfig as the values that stand in the file.

#ifndef KINFORMER_CONFIG_KUBECONFIG_VALUE_H_
#define KINFORMER_CONFIG_KUBECONFIG_VALUE_H_

#include <string>

#include "kinformer/client/clientcmd_api.h"
#include "kinformer/json/json.h"

namespace kinformer::internal::config {

// Return the content of `cluster`, `user` and `context` of an entry. Empty fields are left out.
json::Value ClusterValue(const clientcmdapi::Cluster& cluster);
json::Value UserValue(const clientcmdapi::AuthInfo& user);
json::Value ContextValue(const clientcmdapi::Context& context);
json::Value PreferencesValue(const clientcmdapi::Preferences& preferences);
// A list of {name: ..., extension: ...}.
json::Value ExtensionsValue(const std::map<std::string, json::Value>& extensions);

// The whole file.
json::Value KubeconfigValue(const clientcmdapi::Config& config);

// Makes the changes from `from` to `to` in `target`, and no others: members that are equal in both
// stay as they are in `target`, and so do those that neither has. Items of lists with names are
// matched by name.
void ApplyChange(json::Value& target, const json::Value& from, const json::Value& to);

// Returns the item of a list with this name; null if there is none.
json::Value* ItemNamed(json::Value& list, const std::string& name);
// Whether each item of the list has a name of its own, and there is one.
bool IsListOfNamed(const json::Value& list);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_KUBECONFIG_VALUE_H_
