// kinformer/internal/standard_library.h
//
// Says in one error what a compiler's options lack, in place of the errors that follow from it.

#ifndef KINFORMER_INTERNAL_STANDARD_LIBRARY_H_
#define KINFORMER_INTERNAL_STANDARD_LIBRARY_H_

#include <version>

#if !defined(__cpp_lib_jthread)
#if defined(_LIBCPP_VERSION) && __cplusplus >= 202002L
#error "kinformer needs std::stop_token: this libc++ has it with -fexperimental-library only"
#else
#error "kinformer needs C++20 with std::stop_token: compile with -std=c++20 or newer"
#endif
#endif

#endif  // KINFORMER_INTERNAL_STANDARD_LIBRARY_H_
