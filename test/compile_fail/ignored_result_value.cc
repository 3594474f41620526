// A Result with a value cannot be ignored.
// expect-gcc: ignoring returned value of type 'kinformer::Result<int>'
// expect-clang: ignoring return value of (type|function).*nodiscard

#include "kinformer/base/result.h"

kinformer::Result<int> Count();

int Use() {
#ifdef CORRECT
  return Count().OrExit();
#else
  Count();
  return 0;
#endif
}
