// apiserver/builtin/test_objects.h
//
// Helpers of the tests of built-in kinds: those of the registry's tests.

#ifndef KINFORMER_APISERVER_BUILTIN_TEST_OBJECTS_H_
#define KINFORMER_APISERVER_BUILTIN_TEST_OBJECTS_H_

#include "apiserver/registry/test_objects.h"

#endif  // KINFORMER_APISERVER_BUILTIN_TEST_OBJECTS_H_
