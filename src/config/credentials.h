// config/credentials.h
//
// CredentialSources for the kinds of credentials in a Config.

#ifndef KINFORMER_CONFIG_CREDENTIALS_H_
#define KINFORMER_CONFIG_CREDENTIALS_H_

#include <memory>
#include <string>

#include "kinformer/client/config.h"
#include "kinformer/client/http_transport.h"

#include "config/exec_cluster.h"

namespace kinformer::internal::config {

class SharedIdToken;

// Returns credentials that never change.
std::shared_ptr<CredentialSource> NewStaticCredentials(std::string authorization);

// Returns an OpenID Connect id-token until it expires, then kConfig with a text that begins with
// `place`. A token without an expiry is left to the server. kConfig like BearerOf.
Result<std::shared_ptr<CredentialSource>> NewIdTokenCredentials(const std::string& token,
                                                                std::string place);

// Returns the id-token, and gets new ones from its issuer on a thread of the library: when it ends
// or was refused with 401. Errors begin with `place`.
std::shared_ptr<CredentialSource> NewOidcCredentials(std::shared_ptr<SharedIdToken> token,
                                                     std::string place);

// Reads a token file on a thread of the library when the token is older than 50 s or was refused
// with 401. If the file is unreadable or has no token, the old token stays in use; `fallback` is
// used until a token was read for the first time.
std::shared_ptr<CredentialSource> NewTokenFileCredentials(std::string path,
                                                          const std::string& fallback);

// Runs a credential plugin on a thread of the library when there is no credential, or it has
// expired or was refused with 401. One run at a time; all waiters share its answer, and so do all
// sources of the process with equal settings (shared_plugin.h). The plugin is killed when the
// source or the Env ends, and 10 s after its last waiter left.
std::shared_ptr<CredentialSource> NewExecCredentials(const ExecConfig& exec,
                                                     const ExecCluster& cluster);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_CREDENTIALS_H_
