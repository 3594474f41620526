// base/text/regular_file.h

#ifndef KINFORMER_BASE_TEXT_REGULAR_FILE_H_
#define KINFORMER_BASE_TEXT_REGULAR_FILE_H_

#include <cstddef>
#include <string>

#include "kinformer/result.h"

namespace kinformer::internal::base {

// The content of a regular file, or of one that links lead to, of at most `max_bytes`; nothing for
// /dev/null. Anything else is an error at once: a FIFO that nobody writes to would hang, a device
// never end. The message says why, without the path.
Result<std::string> ReadRegularFile(const std::string& path, std::size_t max_bytes);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_REGULAR_FILE_H_
