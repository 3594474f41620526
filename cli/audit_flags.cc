#include "cli/audit_flags.h"

#include <utility>

#include "cli/apiserver_flags.h"

namespace kinformer::cli {

void AddAuditFlags(Command& command, AuditFlags& flags) {
  command.Option("--audit-log-path", flags.log_path, "FILE",
                 "append an event to this file for each request: who asked for what, and what "
                 "became of it, a line of JSON (audit.k8s.io/v1); -: standard output");
  command.Option("--audit-log-format", flags.log_format, "FORMAT", "json, the only one");
  command.Option("--audit-policy-file", flags.policy_file, "FILE",
                 "which requests, and how much of them, as a Policy of audit.k8s.io/v1; without "
                 "it the metadata of all");
}

Result<void> CheckAuditFlags(const AuditFlags& flags) {
  if (flags.log_format != "json") {
    return Error(Reason::kInvalidArgument,
                 "--audit-log-format \"" + flags.log_format + "\": events are written as json");
  }
  if (flags.log_path.empty() && !flags.policy_file.empty()) {
    return Error(Reason::kInvalidArgument,
                 "--audit-policy-file needs --audit-log-path: where the events go");
  }
  return {};
}

Result<Audit> OpenAudit(const AuditFlags& flags) {
  Audit audit;
  if (flags.log_path.empty()) return audit;
  if (!flags.policy_file.empty()) {
    const Result<std::string> text = ReadFile("--audit-policy-file", flags.policy_file);
    if (!text) return text.error();
    Result<apiserver::AuditPolicy> policy = apiserver::ParseAuditPolicy(*text, flags.policy_file);
    if (!policy) return Error(policy.error()).WithContext("--audit-policy-file");
    audit.policy = std::make_shared<const apiserver::AuditPolicy>(*std::move(policy));
  }
  Result<std::shared_ptr<apiserver::AuditLog>> log = apiserver::AuditLog::Open(flags.log_path);
  if (!log) return Error(log.error()).WithContext("--audit-log-path");
  audit.log = *std::move(log);
  return audit;
}

}  // namespace kinformer::cli
