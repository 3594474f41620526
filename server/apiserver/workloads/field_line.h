// apiserver/workloads/field_line.h
//
// Finds the line of a field in the text of a YAML document, for messages.

#ifndef KINFORMER_APISERVER_WORKLOADS_FIELD_LINE_H_
#define KINFORMER_APISERVER_WORKLOADS_FIELD_LINE_H_

#include <cstddef>
#include <string_view>

namespace kinformer::apiserver::workloads {

// Returns the line, from 1 on, of the field at a path such as "nodes[1].capacity.cpu"; for parts of
// a flow collection ({a: 1}) the line where that begins.
[[nodiscard]] std::size_t FieldLine(std::string_view yaml, std::string_view path);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_FIELD_LINE_H_
