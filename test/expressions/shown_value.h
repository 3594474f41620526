// expressions/shown_value.h
//
// ShownValue: the text of a value of CEL. Values that are the same have the same, here and in
// test/realserver/cel.

#ifndef KINFORMER_TEST_EXPRESSIONS_SHOWN_VALUE_H_
#define KINFORMER_TEST_EXPRESSIONS_SHOWN_VALUE_H_

#include <string>

#include "cel/value.h"

namespace kinformer::test {

std::string ShownValue(const internal::cel::Value& value);

}  // namespace kinformer::test

#endif  // KINFORMER_TEST_EXPRESSIONS_SHOWN_VALUE_H_
