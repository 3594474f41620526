// kinformer/internal/attributes.h
//
// Compiler attributes under portable names.

#ifndef KINFORMER_INTERNAL_ATTRIBUTES_H_
#define KINFORMER_INTERNAL_ATTRIBUTES_H_

// Marks a result that points into the object (or argument) that it is written on: clang warns if
// the result outlives it.
#if defined(__clang__)
#define KINFORMER_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define KINFORMER_LIFETIMEBOUND
#endif

// Rejects calls that select this function, with a message: for braced arguments, of which templates
// deduce nothing.
#if defined(__has_attribute)
#if __has_attribute(unavailable)
#define KINFORMER_UNAVAILABLE(words) __attribute__((unavailable(words)))
#endif
#endif
#if !defined(KINFORMER_UNAVAILABLE)
#define KINFORMER_UNAVAILABLE(words) = delete
#endif

#endif  // KINFORMER_INTERNAL_ATTRIBUTES_H_
