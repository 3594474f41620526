// apiserver/faults/fault_json.h
//
// Fault rules as JSON: field names of FaultRule in camelCase, actions without their k ("cutBody"),
// durations in Go's format ("1.5s").

#ifndef KINFORMER_APISERVER_FAULTS_FAULT_JSON_H_
#define KINFORMER_APISERVER_FAULTS_FAULT_JSON_H_

#include "kinformer/apiserver/faults.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Returns BadRequest with the field's name and its allowed values.
Result<FaultRule> FaultRuleFromJson(const json::Value& value);

// Writes the action, and all fields that differ from their default.
json::Value FaultRuleToJson(const FaultRule& rule);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_FAULT_JSON_H_
