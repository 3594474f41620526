#include <cstdint>
#include <utility>

#include "kinformer/apiserver/etcd.h"

#include "apiserver/etcd/etcd_gateway.h"
#include "apiserver/etcd/etcd_storage.h"

namespace kinformer::apiserver {

Result<std::shared_ptr<SharedStorage>> OpenEtcd(Env& env, const EtcdOptions& options) {
  if (options.prefix.find_first_not_of('/') == std::string::npos) {
    return Error(Reason::kConfig, "the prefix of etcd's keys is empty: it must be as /registry");
  }
  if (options.user.empty() && !options.password.empty()) {
    return Error(Reason::kConfig, "a password for etcd needs a user");
  }
  EtcdGatewayOptions gateway{.servers = options.servers,
                             .user = options.user,
                             .password = options.password,
                             .patience = options.patience};
  gateway.tls.ca_file = options.ca_file;
  gateway.tls.cert_file = options.cert_file;
  gateway.tls.key_file = options.key_file;
  Result<std::shared_ptr<Etcd>> etcd = EtcdGateway::Make(env, gateway);
  if (!etcd) return etcd.error();
  // kube-apiserver's keys begin with a slash, whether the prefix does or not.
  std::string prefix = options.prefix;
  if (!prefix.starts_with('/')) prefix.insert(prefix.begin(), '/');
  while (prefix.ends_with('/')) prefix.pop_back();
  auto storage =
      EtcdStorage::Open(env, *std::move(etcd),
                        {.prefix = std::move(prefix),
                         .compaction_interval = options.compaction_interval,
                         .patience = options.patience,
                         .history_events = static_cast<std::int64_t>(options.history_events)});
  if (!storage) return storage.error();
  return std::shared_ptr<SharedStorage>(*std::move(storage));
}

}  // namespace kinformer::apiserver
