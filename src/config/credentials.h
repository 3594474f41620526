// config/credentials.h
//
// The CredentialSources that a Config can ask for.

#ifndef KINFORMER_CONFIG_CREDENTIALS_H_
#define KINFORMER_CONFIG_CREDENTIALS_H_

#include <memory>
#include <string>

#include "kinformer/config.h"
#include "kinformer/http_transport.h"

namespace kinformer::internal::config {

// One that never changes.
std::shared_ptr<CredentialSource> NewStaticCredentials(std::string authorization);

// An OpenID Connect id-token, until it expires: then kConfig, beginning with `place`. One that does
// not say when is the server's to judge. kConfig as BearerOf.
Result<std::shared_ptr<CredentialSource>> NewIdTokenCredentials(const std::string& token,
                                                                std::string place);

// A token file, read off the loop when what is known is older than 50 s, or was answered with 401.
// A file that cannot be read, or has no token in it, leaves the old one; `fallback` serves until a
// token has been read once.
std::shared_ptr<CredentialSource> NewTokenFileCredentials(std::string path,
                                                          const std::string& fallback);

// What an exec plugin is told about the cluster.
struct ExecCluster {
  std::string server{};
  std::string tls_server_name{};
  bool insecure{false};
  std::string ca_data{};
  std::string proxy_url{};
  bool disable_compression{false};
  std::string config{};  // JSON; empty: none
};

// A credential plugin. Runs on a thread of the library's own when nothing is known, what is known
// has expired, or it was answered with 401; once at a time, and all who wait get its answer. It is
// killed when the source or the Env ends, and 10 s after the last who waited for it has gone.
std::shared_ptr<CredentialSource> NewExecCredentials(ExecConfig exec, ExecCluster cluster);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_CREDENTIALS_H_
