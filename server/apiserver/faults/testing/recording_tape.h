// apiserver/faults/testing/recording_tape.h
//
// Tape: writes a recording for a test.

#ifndef KINFORMER_APISERVER_FAULTS_TESTING_RECORDING_TAPE_H_
#define KINFORMER_APISERVER_FAULTS_TESTING_RECORDING_TAPE_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/faults/recording_format.h"

namespace kinformer::apiserver::testing {

constexpr std::chrono::nanoseconds kNone{0};

// Writes a recording, exchange by exchange.
struct Tape {
  std::string bytes{kRecordingHeader};
  std::uint32_t last = 0;

  void Request(std::string_view target) {
    AppendRecordedRequest(++last, std::chrono::seconds(100), target, "", bytes);
  }
  void Head(std::chrono::nanoseconds after, int status = 200,
            std::string_view type = "application/json") {
    HttpHeaders headers;
    headers.Add("Content-Type", std::string(type));
    AppendRecordedHead(last, std::chrono::seconds(100) + after, status, headers, bytes);
  }
  void Data(std::chrono::nanoseconds after, std::string_view data) {
    AppendRecordedData(last, std::chrono::seconds(100) + after, data, bytes);
  }
  void End(std::chrono::nanoseconds after, std::string_view error = "") {
    AppendRecordedEnd(last, std::chrono::seconds(100) + after, error, bytes);
  }
  // Adds a whole exchange without delays.
  void Whole(std::string_view target, std::string_view body, int status = 200,
             std::string_view type = "application/json") {
    Request(target);
    Head(kNone, status, type);
    Data(kNone, body);
    End(kNone);
  }
};

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_FAULTS_TESTING_RECORDING_TAPE_H_
