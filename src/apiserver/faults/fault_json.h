// apiserver/faults/fault_json.h
//
// Fault rules as JSON: the field names of FaultRule in camelCase, the actions without their k
// ("cutBody"), durations as Go writes them ("1.5s").

#ifndef KINFORMER_APISERVER_FAULTS_FAULT_JSON_H_
#define KINFORMER_APISERVER_FAULTS_FAULT_JSON_H_

#include "kinformer/apiserver/faults.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::apiserver {

// BadRequest naming the field and what it may be.
Result<FaultRule> FaultRuleFromJson(const json::Value& value);

// Only what differs from the default, and the action.
json::Value FaultRuleToJson(const FaultRule& rule);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_FAULT_JSON_H_
