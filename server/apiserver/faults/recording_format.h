// apiserver/faults/recording_format.h
//
// File format of Recorder and Replay: a line with format and version, then frames. Each frame has a
// type (one byte), the exchange's number (4 bytes), nanoseconds since the recording began (8) and
// the length of the payload (4), all little-endian. A frame is one step of one exchange, so a
// truncated file is valid up to its last complete frame.

#ifndef KINFORMER_APISERVER_FAULTS_RECORDING_FORMAT_H_
#define KINFORMER_APISERVER_FAULTS_RECORDING_FORMAT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kRecordingHeader = "kinformer-recording 1\n";

// ---- Writing. Each function appends one frame.
void AppendRecordedRequest(std::uint32_t exchange, Duration at, std::string_view target,
                           std::string_view accept, std::string& out);
void AppendRecordedHead(std::uint32_t exchange, Duration at, int status, const HttpHeaders& headers,
                        std::string& out);
void AppendRecordedData(std::uint32_t exchange, Duration at, std::string_view data,
                        std::string& out);
// `error` is empty for a complete response.
void AppendRecordedEnd(std::uint32_t exchange, Duration at, std::string_view error,
                       std::string& out);

// ---- Reading.
struct RecordedChunk {
  Duration at{};  // since the request
  std::string_view bytes{};
};

struct RecordedExchange {
  std::string target{};
  std::string accept{};
  Duration began{};  // since the recording began
  int status = 0;    // 0: no response arrived
  HttpHeaders headers{};
  Duration head_at{};  // since the request
  std::vector<RecordedChunk> chunks{};
  std::optional<Duration> ended{};  // since the request; nullopt: the recording was cut off
  bool complete = false;
};

struct Recording {
  std::shared_ptr<const std::string> bytes{};  // holds the data of the chunks
  std::vector<RecordedExchange> exchanges{};   // in the order of their requests
  std::size_t unread_bytes = 0;                // after the last valid frame
};

// Returns kConfig if it is no recording, or has another version.
Result<Recording> ParseRecording(std::string bytes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_RECORDING_FORMAT_H_
