// kinformer rbac: the rights that a program has needed, and whether its roles give them.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/manifests.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "cli/asked_requests.h"
#include "cli/commands.h"
#include "cli/least_roles.h"
#include "cli/printable.h"
#include "cli/report.h"
#include "cli/role_check.h"

namespace kinformer::cli {
namespace {

struct RbacFlags {
  std::vector<std::string> logs{};
  std::string name{"operator"};
  std::vector<std::string> any{};
  std::string account{};  // NAMESPACE/NAME
  std::string user{};
  std::string user_agent{};
  std::vector<std::string> check{};
};

Result<std::vector<AskedRequest>> ReadLogs(const std::vector<std::string>& files) {
  std::vector<AskedRequest> out;
  for (const std::string& file : files) {
    std::ifstream opened;
    if (file != "-") opened.open(file);
    if (file != "-" && !opened) {
      return Error(Reason::kConfig, "--log " + file + ": cannot be read");
    }
    Result<std::vector<AskedRequest>> read =
        file == "-" ? ReadAuditLog(std::cin, "standard input") : ReadAuditLog(opened, file);
    if (!read) return read.error();
    std::move(read->begin(), read->end(), std::back_inserter(out));
  }
  return out;
}

// Returns "system:serviceaccount:NS:NAME"; kInvalidArgument for another form.
Result<std::string> UserOfAccount(const std::string& account) {
  const std::size_t slash = account.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == account.size() ||
      account.find('/', slash + 1) != std::string::npos) {
    return Error(Reason::kInvalidArgument,
                 "--serviceaccount \"" + account + "\" must be NAMESPACE/NAME");
  }
  return "system:serviceaccount:" + account.substr(0, slash) + ":" + account.substr(slash + 1);
}

// Leaves the requests of the user and of the program. Requests of which the log names no user are
// of anybody.
void Select(const std::string& user, const std::string& user_agent,
            std::vector<AskedRequest>& requests) {
  std::erase_if(requests, [&](const AskedRequest& request) {
    return (!user.empty() && !request.user.empty() && request.user != user) ||
           !request.user_agent.starts_with(user_agent);
  });
}

int Check(const RbacFlags& flags, const std::string& user,
          const std::vector<AskedRequest>& requests) {
  const ManifestList list = ReadManifests(flags.check, {.recursive = true});
  for (const Error& error : list.errors) return Fail(error);
  const Result<RoleFindings> found = CheckRoles(list.manifests, user, requests);
  if (!found) return Fail(found.error());
  for (const std::string& right : found->lacking) {
    std::cout << "lacking: " << Printable(right) << '\n';
  }
  for (const std::string& right : found->unused) {
    std::cout << "unused: " << Printable(right) << '\n';
  }
  return found->lacking.empty() ? 0 : kFailure;
}

int RunRbac(const RbacFlags& flags) {
  if (flags.logs.empty()) {
    return UsageError(
        "which requests? --log FILE names what `kinformer apiserver --audit-log-path FILE`, a "
        "kube-apiserver or testing::AppendAuditLog has written");
  }
  std::string user = flags.user;
  if (!flags.account.empty()) {
    if (!user.empty()) return UsageError("--user and --serviceaccount do not go together");
    const Result<std::string> of_account = UserOfAccount(flags.account);
    if (!of_account) return UsageError(of_account.error().message());
    user = *of_account;
  }
  Result<std::vector<AskedRequest>> requests = ReadLogs(flags.logs);
  if (!requests) return Fail(requests.error());
  const bool any_read = !requests->empty();
  Select(user, flags.user_agent, *requests);
  if (requests->empty()) {
    return Fail(
        Error(Reason::kNotFound, any_read ? "no request in the log is of that user and user agent"
                                          : "the log has no request that needs a right"));
  }
  if (!flags.check.empty()) return Check(flags, user, *requests);
  const LeastRolesOptions options{.name = flags.name, .any = {flags.any.begin(), flags.any.end()}};
  for (const json::Value& role : LeastRoles(*requests, options)) {
    std::cout << "---\n" << yaml::Dump(role);
  }
  return 0;
}

}  // namespace

void RegisterRbac(CommandLine& line) {
  auto flags = std::make_shared<RbacFlags>();
  Command& command = line.Add(
      "rbac", "Print the least roles for requests of an audit log, or check roles against it");
  command.Options("--log", flags->logs, "FILE",
                  "audit logs, a line of JSON for each event; - is standard input");
  command.Option("--name", flags->name, "NAME", "name of the roles (operator)");
  command.Each("--any", flags->any, "RESOURCE",
               "a resource whose requests were examples: rights for all its names and namespaces; "
               "configmaps, deployments.apps");
  command.Option("--serviceaccount", flags->account, "NAMESPACE/NAME",
                 "only requests of this account; with --check only roles that are bound to it");
  command.Option("--user", flags->user, "NAME", "the same for another user");
  command.Option("--user-agent", flags->user_agent, "PREFIX",
                 "only requests of programs with this user agent");
  command.Options("--check", flags->check, "FILE",
                  "print what the roles in these files or folders lack, and what was not used");
  command.Status(kFailure, "the log cannot be read, or the roles of --check lack a right");
  command.Run([flags] { return RunRbac(*flags); });
}

}  // namespace kinformer::cli
