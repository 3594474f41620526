// cli/etcd_flags.h
//
// Options of `kinformer apiserver` for an etcd: those of kube-apiserver.

#ifndef KINFORMER_CLI_ETCD_FLAGS_H_
#define KINFORMER_CLI_ETCD_FLAGS_H_

#include <cstddef>
#include <string>

#include "kinformer/apiserver/etcd.h"
#include "kinformer/base/result.h"

#include "cli/command_line.h"

namespace kinformer::cli {

struct EtcdFlags {
  std::string servers{};  // separated by commas; empty: no etcd
  std::string prefix{"/registry"};
  std::string ca_file{};
  std::string cert_file{};
  std::string key_file{};
  std::string user{};
  std::string password_file{};
  double compaction_interval = 300;  // seconds
};

// Adds the options to the command. `flags` must outlive the command line.
void AddEtcdFlags(Command& command, EtcdFlags& flags);
// Errors are kInvalidArgument and describe the correct form.
Result<void> CheckEtcdFlags(const EtcdFlags& flags);
// `password`: the text of the password file. REQUIRES: the flags have been checked.
apiserver::EtcdOptions EtcdOptionsOf(const EtcdFlags& flags, std::string password,
                                     std::size_t history_events);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_ETCD_FLAGS_H_
