// apiserver/builtin/defaults_table.h
//
// Table of the defaults that a real API server sets when decoding objects of built-in kinds,
// recorded from one (schema/defaults.tsv).

#ifndef KINFORMER_APISERVER_BUILTIN_DEFAULTS_TABLE_H_
#define KINFORMER_APISERVER_BUILTIN_DEFAULTS_TABLE_H_

#include <span>
#include <string_view>

namespace kinformer::apiserver {

// A row of the table; the file's head explains the columns.
struct DefaultRow {
  std::string_view where;    // "*", "apps/v1 StatefulSet", "k8s.io.api.core.v1.PodSpec.containers"
  std::string_view message;  // "k8s.io.api.core.v1.Container"
  std::string_view member;   // "imagePullPolicy"
  std::string_view when;     // "-", "image~latest"
  std::string_view value;    // JSON; "-"; "=member"; "+member"
};

// Returns constant rows, sorted by message. Rows of one member are in the order of evaluation.
std::span<const DefaultRow> DefaultRows();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEFAULTS_TABLE_H_
