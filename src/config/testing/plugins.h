// config/testing/plugins.h
//
// Credential plugins of the tests: shell scripts.

#ifndef KINFORMER_CONFIG_TESTING_PLUGINS_H_
#define KINFORMER_CONFIG_TESTING_PLUGINS_H_

#include <fstream>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>

#include "kinformer/client/config.h"
#include "kinformer/json/json.h"

#include "config/testing/kubeconfig_texts.h"
#include "transport/loopback_server_for_test.h"

namespace kinformer {

inline constexpr char kPluginVersion[] = "client.authentication.k8s.io/v1";

// Returns an answer with this status, as JSON: {"token":"t"}.
inline std::string PluginAnswer(const std::string& status) {
  return std::string("{\"apiVersion\":\"") + kPluginVersion +
         "\",\"kind\":\"ExecCredential\",\"status\":" + status + "}";
}

// Returns a command of the shell that answers with a token. $variables in it are expanded.
inline std::string EchoToken(const std::string& token) {
  return "echo '" + PluginAnswer("{\"token\":\"'\"" + token + "\"'\"}") + "'\n";
}

inline ExecConfig ScriptPlugin(const Folder& folder, const std::string& script) {
  const std::string path = folder.Write("plugin", "#!/bin/sh\n" + script);
  chmod(path.c_str(), 0700);
  return {.command = path, .api_version = kPluginVersion, .interactive_mode = "Never"};
}

// Whether a process runs. An orphan may remain a zombie for a while, but it no longer runs.
inline bool Runs(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return (in >> number >> name >> state) && state != "Z";
}

// Returns an answer with this certificate.
inline std::string CertificateAnswer(const std::string& version,
                                     const internal::transport::TestCertificate& pair) {
  return json::Value::MakeObject(
             {{"apiVersion", version},
              {"kind", "ExecCredential"},
              {"status", json::Value::MakeObject(
                             {{"clientCertificateData", pair.cert}, {"clientKeyData", pair.key}})}})
      .Dump();
}

}  // namespace kinformer

#endif  // KINFORMER_CONFIG_TESTING_PLUGINS_H_
