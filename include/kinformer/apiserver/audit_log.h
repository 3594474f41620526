// kinformer/apiserver/audit_log.h
//
// AuditLog, AuditPolicy: who asked an ApiServer for what, and what became of it, as events of
// audit.k8s.io/v1 in lines of JSON. Counterpart: --audit-log-path and --audit-policy-file of
// kube-apiserver.
//
//   auto log = std::make_shared<apiserver::AuditLog>();
//   apiserver::ApiServer server(env, {.audit_log = log});
//   ...
//   for (const std::string& event : log->TakeLines()) std::cout << event << '\n';
//
// docs/server/audit.md has the form of an event.

#ifndef KINFORMER_APISERVER_AUDIT_LOG_H_
#define KINFORMER_APISERVER_AUDIT_LOG_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer::apiserver {

// How much of a request is written: nothing, who asked for what, the sent object as well, the
// answer as well.
enum class AuditLevel : std::uint8_t { kNone, kMetadata, kRequest, kRequestResponse };

// The moments at which a request is written. A request that goes on, such as a watch, is also
// written when its answer begins.
struct AuditStages {
  bool request_received{true};
  bool response_started{true};
  bool response_complete{true};
};

// Resources of one group; "" is the core group.
struct AuditResources {
  std::string group{};
  std::vector<std::string> resources{};  // "pods", "pods/log", "pods/*", "*/scale", "*"; none: all
  std::vector<std::string> names{};      // none: all
};

// Requests that are written in the same way: those that fit all lists. An empty list fits all.
struct AuditRule {
  AuditLevel level{AuditLevel::kMetadata};
  std::vector<std::string> users{};
  std::vector<std::string> groups{};  // of the user
  std::vector<std::string> verbs{};
  std::vector<AuditResources> resources{};
  std::vector<std::string> namespaces{};  // "": none
  // "/metrics", "/healthz*", "*".
  std::vector<std::string> paths{};
  AuditStages stages{};
  bool omit_managed_fields{false};
};

// Decides by the first rule that fits; a request that none fits is not written.
struct AuditPolicy {
  std::vector<AuditRule> rules{};
};

// Reads a Policy of audit.k8s.io/v1, YAML or JSON. Errors are kConfig, and name the field, and the
// file if it is given.
Result<AuditPolicy> ParseAuditPolicy(std::string_view text, std::string_view file = {});

// Where the events go: a file, or this object. Thread-safe. Secrets are written as far as the
// policy asks for objects; tokens of requests never.
class AuditLog {
 public:
  // Keeps the lines until they are taken.
  AuditLog();
  ~AuditLog();
  AuditLog(AuditLog&&) = delete;

  // Appends to a file, which only this user can read if it is new; "-": standard output. An event
  // is in the file before the request is answered. If the file takes no more, events are lost, and
  // requests go on. Blocks. kConfig: the file cannot be written.
  static Result<std::shared_ptr<AuditLog>> Open(const std::string& path);

  void Write(std::string_view event);
  // Returns the lines since the last call; none if they go to a file.
  [[nodiscard]] std::vector<std::string> TakeLines();
  // Returns how many events the file has not taken.
  [[nodiscard]] std::uint64_t lost() const;

 private:
  struct Impl;
  explicit AuditLog(int file);
  kinformer::internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUDIT_LOG_H_
