// base/text/regular_file.h

#ifndef KINFORMER_BASE_TEXT_REGULAR_FILE_H_
#define KINFORMER_BASE_TEXT_REGULAR_FILE_H_

#include <cstddef>
#include <string>

#include "kinformer/base/result.h"

namespace kinformer::internal::base {

// Reads a regular file of at most `max_bytes`, following links; empty for /dev/null. Any other file
// is an error at once: a FIFO without a writer would block, and a device might never end. The
// message gives the reason, without the path.
Result<std::string> ReadRegularFile(const std::string& path, std::size_t max_bytes);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_REGULAR_FILE_H_
