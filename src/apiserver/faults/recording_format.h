// apiserver/faults/recording_format.h
//
// The file that Recorder writes and Replay reads: a line that names format and version, then
// frames. Each frame is a type (one byte), the number of the exchange (4 bytes), nanoseconds since
// the recording began (8) and the length of what follows (4), all little-endian. A frame is one
// step of one exchange, so a file that breaks off is good up to its last whole frame.

#ifndef KINFORMER_APISERVER_FAULTS_RECORDING_FORMAT_H_
#define KINFORMER_APISERVER_FAULTS_RECORDING_FORMAT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kRecordingHeader = "kinformer-recording 1\n";

// ---- Writing: each appends one frame.
void AppendRecordedRequest(std::uint32_t exchange, Duration at, std::string_view target,
                           std::string_view accept, std::string& out);
void AppendRecordedHead(std::uint32_t exchange, Duration at, int status, const HttpHeaders& headers,
                        std::string& out);
void AppendRecordedData(std::uint32_t exchange, Duration at, std::string_view data,
                        std::string& out);
// `error` is empty for a complete answer.
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
  int status = 0;    // 0: no answer came
  HttpHeaders headers{};
  Duration head_at{};  // since the request
  std::vector<RecordedChunk> chunks{};
  std::optional<Duration> ended{};  // since the request; empty: the recording breaks off
  bool complete = false;
};

struct Recording {
  std::shared_ptr<const std::string> bytes{};  // what the chunks are part of
  std::vector<RecordedExchange> exchanges{};   // by the times of their requests
  std::size_t unread_bytes = 0;                // behind the last frame that makes sense
};

// kConfig for what is no recording, or of another version.
Result<Recording> ParseRecording(std::string bytes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_RECORDING_FORMAT_H_
