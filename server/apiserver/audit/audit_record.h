// apiserver/audit/audit_record.h
//
// AuditRecord: a request as the audit log has it, and its events as text.

#ifndef KINFORMER_APISERVER_AUDIT_AUDIT_RECORD_H_
#define KINFORMER_APISERVER_AUDIT_AUDIT_RECORD_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/audit_log.h"
#include "kinformer/base/env.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/audit_trail.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/request/request_info.h"

namespace kinformer::apiserver {

// Loop-confined.
struct AuditRecord {
  AuditLevel level{AuditLevel::kMetadata};
  AuditStages stages{};
  bool omit_managed_fields = false;
  std::string id{};
  std::string uri{};
  std::string verb{};
  UserInfoPtr user{};  // null: nobody could be authenticated
  std::vector<std::string> source_ips{};
  std::string user_agent{};
  RequestInfo info{};
  bool goes_on = false;  // a watch, or a stream of a pod
  WallTime received{};
  std::string content_type{};
  std::string body{};  // of a request that writes
  AuditTrailPtr trail = std::make_shared<AuditTrail>();

  [[nodiscard]] bool HasObjects(AuditLevel least) const {
    return info.is_resource_request && level >= least;
  }
};

using AuditRecordPtr = std::shared_ptr<AuditRecord>;

// The answer, as far as it is known.
struct AuditAnswer {
  int code = 0;  // 0: it has not begun
  std::string_view content_type{};
  std::string_view body{};  // empty: it is not to be written
};

// Return the events of the stages: an object of JSON without line breaks. If nobody could be
// authenticated, the only event has the stage ResponseStarted.
std::string ReceivedEvent(const AuditRecord& record);
std::string StartedEvent(const AuditRecord& record, WallTime now, int code);
std::string CompleteEvent(const AuditRecord& record, WallTime now, const AuditAnswer& answer);

// Returns the object that the client has sent: a patch, DeleteOptions, or what is to be written;
// null if there is none that can be read.
json::Value SentObject(const AuditRecord& record);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUDIT_AUDIT_RECORD_H_
