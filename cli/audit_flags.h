// cli/audit_flags.h
//
// Options of `kinformer apiserver` for an audit log: those of kube-apiserver.

#ifndef KINFORMER_CLI_AUDIT_FLAGS_H_
#define KINFORMER_CLI_AUDIT_FLAGS_H_

#include <memory>
#include <string>

#include "kinformer/apiserver/audit_log.h"
#include "kinformer/base/result.h"

#include "cli/command_line.h"

namespace kinformer::cli {

struct AuditFlags {
  std::string log_path{};  // empty: no audit log
  std::string log_format{"json"};
  std::string policy_file{};
};

// Adds the options to the command. `flags` must outlive the command line.
void AddAuditFlags(Command& command, AuditFlags& flags);
// Errors are kInvalidArgument and describe the correct form.
Result<void> CheckAuditFlags(const AuditFlags& flags);

struct Audit {
  std::shared_ptr<apiserver::AuditLog> log{};              // null: none
  std::shared_ptr<const apiserver::AuditPolicy> policy{};  // null: the usual one
};
// Reads the policy and opens the log. Blocks. Errors are kConfig and name the option and the file.
// REQUIRES: the flags have been checked.
Result<Audit> OpenAudit(const AuditFlags& flags);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_AUDIT_FLAGS_H_
