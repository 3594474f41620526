#include "base/core/out_of_memory.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace kinformer::internal::base {

void DieOfNoMemory(const char* what) noexcept {
  const char* const words[] = {"kinformer: out of memory (", what,
                               "); the process ends, because what was under way cannot be "
                               "completed. Give it more memory, or "
                               "keep less: a projection, selectors, EntryOptions.\n"};
  for (const char* word : words) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, word, std::strlen(word));
  }
  std::abort();
}

}  // namespace kinformer::internal::base
