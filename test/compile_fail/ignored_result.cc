// A Result without a value cannot be ignored.
// expect-gcc: ignoring returned value of type 'kinformer::Result<void>'
// expect-clang: ignoring return value of (type|function).*nodiscard

#include "kinformer/base/result.h"

kinformer::Result<void> Save();

void Use() {
#ifdef CORRECT
  Save().OrExit();
#else
  Save();
#endif
}
