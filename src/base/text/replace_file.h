// base/text/replace_file.h

#ifndef KINFORMER_BASE_TEXT_REPLACE_FILE_H_
#define KINFORMER_BASE_TEXT_REPLACE_FILE_H_

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

namespace kinformer::internal::base {

struct ReplaceFileOptions {
  mode_t mode = 0600;
  // Keeps the mode of a file that exists and, where allowed, its owner.
  bool keeps_mode = false;
  // Several writers may be at work. The draft then has a name of its own, PATH.XXXXXX, and stays if
  // the process is killed; otherwise it is PATH.new, and the next writer removes it.
  bool many_writers = false;
  std::optional<WallTime> modified{};  // the file's time; none: now
  // Waits until the text is on the disk, so that a machine that loses power has one of the two.
  bool durable = true;
};

// Replaces a file in one step: a reader sees the old or the new text, and a failure leaves the old
// one. A link is replaced itself. Blocks. kConfig names the file and the reason.
Result<void> ReplaceFile(const std::string& path, std::string_view text,
                         const ReplaceFileOptions& options = {});

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_REPLACE_FILE_H_
