// test/integration/client_proofs.h
//
// Proof: credentials of a client, or its check of the server, for an EmbeddedServer: given
// directly, read from files, or from plugins.

#ifndef KINFORMER_TEST_INTEGRATION_CLIENT_PROOFS_H_
#define KINFORMER_TEST_INTEGRATION_CLIENT_PROOFS_H_

#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "kinformer/client/config.h"
#include "kinformer/json/json.h"

namespace kinformer::testing {

// Path of the file that WriteProof writes; it contains the process id.
inline std::string ProofPath(const std::string& name) {
  return ::testing::TempDir() + "kinformer-proof-" + std::to_string(getpid()) + "-" + name;
}

// Replaces the file atomically. Returns its path.
inline std::string WriteProof(const std::string& name, const std::string& text,
                              mode_t mode = 0600) {
  std::string path = ProofPath(name);
  const std::string written = path + ".new";
  std::ofstream(written) << text;
  EXPECT_EQ(chmod(written.c_str(), mode), 0);
  std::filesystem::rename(written, path);
  return path;
}

// Returns a plugin that runs the shell script.
inline ExecConfig PluginOf(const std::string& name, const std::string& script) {
  return {.command = WriteProof(name, "#!/bin/sh\n" + script + "\n", 0700),
          .api_version = "client.authentication.k8s.io/v1",
          .interactive_mode = "Never"};
}

// Output of a plugin. `expires` is in RFC 3339; empty means that it never expires.
inline std::string PluginAnswer(json::Value status, const std::string& expires = {}) {
  if (!expires.empty()) status.Set("expirationTimestamp", expires);
  return json::Value::MakeObject({{"apiVersion", "client.authentication.k8s.io/v1"},
                                  {"kind", "ExecCredential"},
                                  {"status", std::move(status)}})
      .Dump();
}

// In the past, so each request runs the plugin again.
constexpr char kExpired[] = "2001-01-01T00:00:00Z";

struct Proof {
  const char* name;
  // Changes the result of EmbeddedServer::ClientConfig.
  std::function<void(Config&)> prove;
};

inline void PrintTo(const Proof& proof, std::ostream* out) { *out << proof.name; }

inline Proof StaticToken() {
  return {"StaticToken", [](Config&) {}};
}

inline Proof TokenFile() {
  return {"TokenFile", [](Config& config) {
            config.bearer_token_file = WriteProof("token", config.bearer_token);
            config.bearer_token.clear();
          }};
}

inline Proof CertificateAuthorityFile() {
  return {"CertificateAuthorityFile", [](Config& config) {
            config.tls.ca_file = WriteProof("ca", config.tls.ca_data);
            config.tls.ca_data.clear();
          }};
}

inline Proof PluginUntil(const char* name, const std::string& expires) {
  return {name, [name, expires](Config& config) {
            const std::string answer =
                PluginAnswer(json::Value::MakeObject({{"token", config.bearer_token}}), expires);
            config.exec = PluginOf(name, "echo '" + answer + "'");
            config.bearer_token.clear();
          }};
}
// A plugin whose credential never expires.
inline Proof LastingPlugin() { return PluginUntil("LastingPlugin", ""); }
// A plugin whose credentials have already expired.
inline Proof ExpiringPlugin() { return PluginUntil("ExpiringPlugin", kExpired); }

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_CLIENT_PROOFS_H_
