// apiserver/builtin/defaults_table.h
//
// What a real API server fills into objects of built-in kinds when it decodes them, as it was
// learnt from one (schema/defaults.tsv).

#ifndef KINFORMER_APISERVER_BUILTIN_DEFAULTS_TABLE_H_
#define KINFORMER_APISERVER_BUILTIN_DEFAULTS_TABLE_H_

#include <span>
#include <string_view>

namespace kinformer::apiserver {

// A line of the table; its head says what the columns mean.
struct DefaultRow {
  std::string_view where;    // "*", "apps/v1 StatefulSet", "k8s.io.api.core.v1.PodSpec.containers"
  std::string_view message;  // "k8s.io.api.core.v1.Container"
  std::string_view member;   // "imagePullPolicy"
  std::string_view when;     // "-", "image~latest"
  std::string_view value;    // JSON; "-"; "=member"; "+member"
};

// By message, constant. The rows of one member in the order in which they are tried.
std::span<const DefaultRow> DefaultRows();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEFAULTS_TABLE_H_
