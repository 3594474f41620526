// config/token_writer.h
//
// WriteTokens: puts renewed tokens into the kubeconfig that they came from.

#ifndef KINFORMER_CONFIG_TOKEN_WRITER_H_
#define KINFORMER_CONFIG_TOKEN_WRITER_H_

#include <functional>
#include <map>
#include <string>

#include "kinformer/base/result.h"

namespace kinformer::internal::config {

// Keys of a user's auth-provider that have changed, such as "id-token" and "refresh-token".
using ChangedKeys = std::map<std::string, std::string>;

// Writes tokens as WriteTokens does; replaced in tests.
using TokenWriter = std::function<Result<void>(
    const std::string& kubeconfig, const std::string& user, const ChangedKeys& changed)>;

// Sets the keys in users[name = user].user.auth-provider.config of the file, as
// clientcmd::WriteToFile does. Blocks. kConfig: the lock is held, the user is not there, or the
// file cannot be read or written; the text has no token in it. Counterpart: the
// AuthProviderConfigPersister of clientcmd.
Result<void> WriteTokens(const std::string& kubeconfig, const std::string& user,
                         const ChangedKeys& changed);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_TOKEN_WRITER_H_
