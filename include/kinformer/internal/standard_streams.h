// kinformer/internal/standard_streams.h
//
// Members of the API are called stdin, stdout and stderr. The C library has macros of these names;
// musl's have parentheses, so `container.stdin` would not compile. All three are variables, too.

#ifndef KINFORMER_INTERNAL_STANDARD_STREAMS_H_
#define KINFORMER_INTERNAL_STANDARD_STREAMS_H_

#include <cstdio>

#if defined(__linux__)
#undef stdin
#undef stdout
#undef stderr
#endif

#endif  // KINFORMER_INTERNAL_STANDARD_STREAMS_H_
