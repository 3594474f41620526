// apiserver/builtin/value_table.h
//
// Table of a real API server's errors for values that members of built-in kinds cannot have,
// recorded from one (schema/values.tsv).

#ifndef KINFORMER_APISERVER_BUILTIN_VALUE_TABLE_H_
#define KINFORMER_APISERVER_BUILTIN_VALUE_TABLE_H_

#include <span>
#include <string_view>

namespace kinformer::apiserver {

// A row of the table; the file's head explains the columns.
struct ValueRow {
  std::string_view where;     // "*", "k8s.io.api.core.v1.PodSpec.containers"
  std::string_view message;   // "k8s.io.api.core.v1.Container"
  std::string_view member;    // "imagePullPolicy", "args[]", "nodeSelector{}", "nodeSelector{key}"
  std::string_view rule;      // "enum", "least", "most", "length", "match", "never", "unique"
  std::string_view argument;  // "Always|Never|IfNotPresent"
  std::string_view reason;
  std::string_view field;
  std::string_view text;
};

// Returns constant rows, sorted by message. Rows of one member are in the order of causes.
std::span<const ValueRow> ValueRows();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_VALUE_TABLE_H_
