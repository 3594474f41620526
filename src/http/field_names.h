// http/field_names.h
//
// Names of header fields.

#ifndef KINFORMER_HTTP_FIELD_NAMES_H_
#define KINFORMER_HTTP_FIELD_NAMES_H_

#include <string_view>

#include "base/text/ascii_case.h"

namespace kinformer::internal::http {

using base::LowerCase;

// Compares without regard to case.
inline bool SameFieldName(std::string_view a, std::string_view b) {
  return base::SameIgnoringCase(a, b);
}

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_FIELD_NAMES_H_
