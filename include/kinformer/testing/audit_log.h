// kinformer/testing/audit_log.h
//
// AppendAuditLog: writes the requests that a test has seen into a file, as an API server writes its
// audit log. `kinformer rbac` makes the least role of it, and says what a role lacks.
//
//   kinformer::testing::Fake fake;
//   kinformer::testing::Environment env({.fake = fake});
//   env.Settle();
//   kinformer::testing::AppendAuditLog("requests.jsonl", fake.Actions()).OrExit();
//
// Then at a terminal: kinformer rbac --log requests.jsonl --check config/rbac
//
// Link kinformer::testing.

#ifndef KINFORMER_TESTING_AUDIT_LOG_H_
#define KINFORMER_TESTING_AUDIT_LOG_H_

#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/action.h"

namespace kinformer::testing {

// Returns the request as an Event of audit.k8s.io/v1 at level Metadata: without its object, and
// without the user, whom an Action does not have.
[[nodiscard]] json::Value AuditEventOf(const Action& action);

// Appends a line for each action to the file, which is made if it is not there. Several processes
// may append to one file. Blocks. kConfig: the file cannot be written.
Result<void> AppendAuditLog(const std::string& path, const std::vector<Action>& actions);

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_AUDIT_LOG_H_
