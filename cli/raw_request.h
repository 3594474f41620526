// cli/raw_request.h
//
// Arguments of `raw` as a request.

#ifndef KINFORMER_CLI_RAW_REQUEST_H_
#define KINFORMER_CLI_RAW_REQUEST_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer::cli {

struct RawFlags {
  std::string path{};
  std::string method{};                // empty: GET, or POST with a body
  std::optional<std::string> data{};   // text of the body, or "@FILE"
  std::string file{};                  // "-": standard input
  std::vector<std::string> headers{};  // "Content-Type: application/json"
};

struct RawRequest {
  std::string method{};
  std::string path{};  // and query, as they are sent
  std::vector<std::pair<std::string, std::string>> headers{};
  std::optional<std::string> data{};  // the body, unless it is in `file`
  std::string file{};                 // "-": standard input; empty: none
};

// Checks the arguments. kInvalidArgument: one of them is wrong. A body without a header
// Content-Type is sent as JSON; a PATCH needs the header, since there are several kinds of patches.
Result<RawRequest> ReadRawFlags(const RawFlags& flags);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_RAW_REQUEST_H_
