// sinks/lines/line_reader.h
//
// ReadLines: what a file of lines holds.

#ifndef KINFORMER_SINKS_LINES_LINE_READER_H_
#define KINFORMER_SINKS_LINES_LINE_READER_H_

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "kinformer/base/result.h"
#include "kinformer/object/object_name.h"

namespace kinformer::internal::sinks {

// An object without its name.
struct HeldVersion {
  std::string uid{};
  std::string resource_version{};
};

struct HeldLines {
  std::string source{};
  std::string resource_version{};
  std::unordered_map<ObjectName, HeldVersion> objects{};
};

struct LinesOfFile {
  std::map<std::string, HeldLines> resources{};
  std::int64_t valid_bytes = 0;  // up to the end of the last commit
};

// Reads a file up to its last commit. Lines behind that are ignored, whatever they are. kConfig if
// a line before it is none that a sink has written.
Result<LinesOfFile> ReadLines(const std::string& path);

}  // namespace kinformer::internal::sinks

#endif  // KINFORMER_SINKS_LINES_LINE_READER_H_
