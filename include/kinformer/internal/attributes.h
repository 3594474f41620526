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

#endif  // KINFORMER_INTERNAL_ATTRIBUTES_H_
