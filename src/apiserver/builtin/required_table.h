// apiserver/builtin/required_table.h
//
// What a real API server says about members of built-in kinds that are not there, as it was learnt
// from one (schema/required.tsv).

#ifndef KINFORMER_APISERVER_BUILTIN_REQUIRED_TABLE_H_
#define KINFORMER_APISERVER_BUILTIN_REQUIRED_TABLE_H_

#include <span>
#include <string_view>

namespace kinformer::apiserver {

// A line of the table; its head says what the columns mean.
struct RequiredRow {
  std::string_view where;    // "*", "k8s.io.api.core.v1.EnvVarSource.fieldRef"
  std::string_view message;  // "k8s.io.api.core.v1.Container"
  std::string_view members;  // "image", "exec|httpGet"
  std::string_view when;     // "-", "operator=\"In\"|\"NotIn\""
  std::string_view reason;
  std::string_view field;
  std::string_view text;
};

// By message, constant. The rows of one message in the order in which causes are listed.
std::span<const RequiredRow> RequiredRows();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_REQUIRED_TABLE_H_
