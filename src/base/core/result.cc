#include "kinformer/base/result.h"

#include <cstdio>
#include <cstdlib>

#include "base/core/printable.h"

namespace kinformer::internal {

void DieOfBadResultAccess(const Error& error) {
  std::fprintf(stderr, "kinformer: value of a failed Result was read: %s\n",
               base::Printable(error.ToString()).c_str());
  std::abort();
}

void DieOfMissingError() {
  std::fputs("kinformer: error() of a Result that succeeded was read; ask ok() first\n", stderr);
  std::abort();
}

void ExitWithError(const Error& error) {
  std::fprintf(stderr, "error: %s\n", base::Printable(error.message()).c_str());
  std::exit(1);
}

}  // namespace kinformer::internal
