// cli/log_request.h
//
// The options of `kinformer logs`, and what they mean.

#ifndef KINFORMER_CLI_LOG_REQUEST_H_
#define KINFORMER_CLI_LOG_REQUEST_H_

#include <cstddef>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/result.h"

#include "cli/log_follower.h"
#include "cli/log_format.h"

namespace kinformer::cli {

struct LogFlags {
  std::string target{};     // a pod, RESOURCE/NAME, or an expression for names of pods
  std::string container{};  // as a second argument
  std::string namespace_{};
  bool all_namespaces = false;
  std::string label_selector{};
  std::string container_option{};  // -c
  bool all_containers = false;
  bool all_pods = false;
  bool follow = false;
  bool previous = false;
  double since_seconds = 0;
  std::string since_time{};
  std::string tail{};
  std::string limit_bytes{};
  bool timestamps = false;
  bool prefix = false;
  std::string output{};  // "", "default", "raw", "json"
  std::string max_log_requests{};
  std::vector<std::string> include{};
  std::vector<std::string> exclude{};
  std::vector<std::string> exclude_pods{};
  std::vector<std::string> exclude_containers{};
  bool quiet = false;
};

// A request to the server, and the form in which its answer is printed.
struct LogRequest {
  bool many = false;  // pods by a selector or an expression
  bool follow = false;
  corev1::PodLogOptionsMutable log{};
  LogFilter filter{};
  LogFormat format{};
  std::vector<NamePattern> include{};
  std::vector<NamePattern> exclude{};
  std::size_t max_streams = 50;

  // Whether a line is to be printed.
  [[nodiscard]] bool Has(std::string_view text) const;
};

// Reads the options; errors are kInvalidArgument. `colors`: the terminal has them.
Result<LogRequest> ReadLogFlags(const LogFlags& flags, bool colors);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_LOG_REQUEST_H_
