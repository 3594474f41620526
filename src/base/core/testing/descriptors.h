// base/core/testing/descriptors.h
//
// KINFORMER_TEST_NEEDS_DESCRIPTORS: defined if the build itself opens descriptors, so that a test
// may not forbid them: UndefinedBehaviorSanitizer opens one to check a virtual call.

#ifndef KINFORMER_BASE_CORE_TESTING_DESCRIPTORS_H_
#define KINFORMER_BASE_CORE_TESTING_DESCRIPTORS_H_

#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define KINFORMER_TEST_NEEDS_DESCRIPTORS
#endif
#endif

#endif  // KINFORMER_BASE_CORE_TESTING_DESCRIPTORS_H_
