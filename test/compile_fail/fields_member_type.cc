// The error for a member of an unsupported type lists the supported types.
// first-gcc: kFields: a member's type must be bool, a number, std::string
// first-clang: kFields: a member's type must be bool, a number, std::string

#include "kinformer/object/fields.h"

struct Spec {
#ifdef CORRECT
  int size = 0;
#else
  const char* size = nullptr;
#endif
  static constexpr auto kFields = std::tuple(kinformer::Field("size", &Spec::size));
};

kinformer::Result<Spec> Read(const kinformer::json::Value& value) {
  return kinformer::FieldsFromValue<Spec>(value);
}
