#include "cli/etcd_flags.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace kinformer::cli {
namespace {

std::vector<std::string> ServersIn(const std::string& text) {
  std::vector<std::string> servers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    servers.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return servers;
}

Error Wrong(std::string why) { return {Reason::kInvalidArgument, std::move(why)}; }

}  // namespace

void AddEtcdFlags(Command& command, EtcdFlags& flags) {
  command.Option("--etcd-servers", flags.servers, "URL,...",
                 "keep all that is stored in this etcd, where several servers use the same "
                 "objects at the same versions: http://127.0.0.1:2379");
  command.Option("--etcd-prefix", flags.prefix, "PREFIX", "of all keys in etcd (/registry)");
  command.Option("--etcd-cafile", flags.ca_file, "FILE",
                 "who may sign the certificate of etcd, PEM");
  command.Option("--etcd-certfile", flags.cert_file, "FILE",
                 "the client certificate for etcd, PEM");
  command.Option("--etcd-keyfile", flags.key_file, "FILE", "and its key, PEM");
  command.Option("--etcd-user", flags.user, "NAME",
                 "the user of etcd, who may read and write all keys");
  command.Option("--etcd-password-file", flags.password_file, "FILE",
                 "the password of --etcd-user, on one line");
  command.Seconds("--etcd-compaction-interval", flags.compaction_interval,
                  "how often one of the servers removes old revisions from etcd (5m); 0s: never");
}

Result<void> CheckEtcdFlags(const EtcdFlags& flags) {
  const EtcdFlags usual;
  if (flags.servers.empty()) {
    if (flags.prefix == usual.prefix && flags.ca_file.empty() && flags.cert_file.empty() &&
        flags.key_file.empty() && flags.user.empty() && flags.password_file.empty() &&
        flags.compaction_interval == usual.compaction_interval) {
      return {};
    }
    return Wrong("the options of etcd need --etcd-servers, as http://127.0.0.1:2379");
  }
  for (const std::string& server : ServersIn(flags.servers)) {
    const bool http = server.starts_with("http://") && server.size() > 7;
    const bool https = server.starts_with("https://") && server.size() > 8;
    if (http || https) continue;
    return Wrong("--etcd-servers \"" + flags.servers +
                 "\": each server is a URL, as http://127.0.0.1:2379, with commas between them");
  }
  if (flags.prefix.find_first_not_of('/') == std::string::npos) {
    return Wrong("--etcd-prefix \"" + flags.prefix + "\" is empty: it must be as /registry");
  }
  if (flags.cert_file.empty() != flags.key_file.empty()) {
    return Wrong("--etcd-certfile and --etcd-keyfile go together");
  }
  if (flags.user.empty() != flags.password_file.empty()) {
    return Wrong("--etcd-user and --etcd-password-file go together");
  }
  return {};
}

apiserver::EtcdOptions EtcdOptionsOf(const EtcdFlags& flags, std::string password,
                                     std::size_t history_events) {
  // The end of the line is no part of it.
  password.resize(password.find_last_not_of("\r\n") + 1);
  return {.servers = ServersIn(flags.servers),
          .prefix = flags.prefix,
          .ca_file = flags.ca_file,
          .cert_file = flags.cert_file,
          .key_file = flags.key_file,
          .user = flags.user,
          .password = std::move(password),
          .compaction_interval = std::chrono::duration_cast<Duration>(
              std::chrono::duration<double>(flags.compaction_interval)),
          .history_events = history_events};
}

}  // namespace kinformer::cli
