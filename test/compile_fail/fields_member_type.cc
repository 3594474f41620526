// The error for a member of an unsupported type lists the supported types.
// first-gcc: a member's type must be bool, a number, std::string
// first-clang: a member's type must be bool, a number, std::string

#include "kinformer/object/fields.h"

struct Spec {
#ifdef CORRECT
  int size = 0;
#else
  const volatile void* size = nullptr;
#endif
};

kinformer::Result<Spec> Read(const kinformer::json::Value& value) {
  return kinformer::FieldsFromValue<Spec>(value);
}
