// cli/size_process.h
//
// Informers in a process of their own, which says what they took. The process is this program with
// a hidden command.

#ifndef KINFORMER_CLI_SIZE_PROCESS_H_
#define KINFORMER_CLI_SIZE_PROCESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/rest_mapping.h"

#include "cli/command_line.h"
#include "cli/connection.h"

namespace kinformer::cli {

// One informer and its options.
struct MeasuredInformer {
  RestMapping mapping{};
  std::string namespace_{};
  std::string label_selector{};
  std::string field_selector{};
  bool metadata = false;  // an informer of PartialObjectMetadata
  bool drop_managed_fields = false;
  bool compress = false;
  std::vector<std::string> dropped_fields{};  // by a Projection
};

struct MeasuredProcess {
  std::vector<MeasuredInformer> informers{};
  std::string kubeconfig{};  // its text; empty: by the flags
  ConnectionFlags connection{};
  bool list = false;         // InitialList::kList
  bool prefer_json = false;  // ClientOptions::prefer_json, accept_gzip
  bool accept_gzip = false;
};

// Bytes and seconds as double, because they are interpolated.
struct ProcessFigures {
  double base_bytes = 0;     // resident, with a client that has sent a request
  double peak_bytes = 0;     // from the start of the informers on
  double settled_bytes = 0;  // when it did not change any more
  double cpu_seconds = 0;    // user and system, of the whole process, until all have synced
  double wire_bytes = 0;     // of answers with their headers, as they are in TLS
  double seconds = 0;        // until all have synced
  std::uint64_t objects = 0;
};

// Blocks until the process has ended. Errors are those of the process: no server, forbidden.
Result<ProcessFigures> MeasureInProcess(const MeasuredProcess& process);

// Adds the hidden command.
void RegisterSizeProcess(CommandLine& line);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SIZE_PROCESS_H_
