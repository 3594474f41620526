// kinformer/internal/attributes.h
//
// Compiler attributes behind names, so that headers read the same under every compiler.

#ifndef KINFORMER_INTERNAL_ATTRIBUTES_H_
#define KINFORMER_INTERNAL_ATTRIBUTES_H_

// The result points into the object (or argument) it is written on: clang warns where the result
// outlives it.
#if defined(__clang__)
#define KINFORMER_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define KINFORMER_LIFETIMEBOUND
#endif

// A function that is declared so that calls which find it are refused in these words: for braced
// arguments, of which templates deduce nothing.
#if defined(__has_attribute)
#if __has_attribute(unavailable)
#define KINFORMER_UNAVAILABLE(words) __attribute__((unavailable(words)))
#endif
#endif
#if !defined(KINFORMER_UNAVAILABLE)
#define KINFORMER_UNAVAILABLE(words) = delete
#endif

#endif  // KINFORMER_INTERNAL_ATTRIBUTES_H_
