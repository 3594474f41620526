// apiserver/builtin/required_table.h
//
// Table of a real API server's errors for missing members of built-in kinds, recorded from one
// (schema/required.tsv).

#ifndef KINFORMER_APISERVER_BUILTIN_REQUIRED_TABLE_H_
#define KINFORMER_APISERVER_BUILTIN_REQUIRED_TABLE_H_

#include <span>
#include <string_view>

namespace kinformer::apiserver {

// A row of the table; the file's head explains the columns.
struct RequiredRow {
  std::string_view where;    // "*", "k8s.io.api.core.v1.EnvVarSource.fieldRef"
  std::string_view message;  // "k8s.io.api.core.v1.Container"
  std::string_view members;  // "image", "exec|httpGet"
  std::string_view when;     // "-", "operator=\"In\"|\"NotIn\""
  std::string_view reason;
  std::string_view field;
  std::string_view text;
};

// Returns constant rows, sorted by message. Rows of one message are in the order of causes.
std::span<const RequiredRow> RequiredRows();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_REQUIRED_TABLE_H_
