// apiserver/workloads/job_indexes.h
//
// The text of status.completedIndexes of an indexed Job: "0-2,4".

#ifndef KINFORMER_APISERVER_WORKLOADS_JOB_INDEXES_H_
#define KINFORMER_APISERVER_WORKLOADS_JOB_INDEXES_H_

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace kinformer::apiserver::workloads {

// Numbers that are not in order are left out, and all below 0 or from `end` on.
[[nodiscard]] std::set<std::int64_t> ParseIndexes(std::string_view text, std::int64_t end);
[[nodiscard]] std::string IndexesText(const std::set<std::int64_t>& indexes);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_JOB_INDEXES_H_
