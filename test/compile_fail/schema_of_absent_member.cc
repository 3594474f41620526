// The error for a line of kSchema whose member does not exist names the mistake.
// first-gcc: FailSinceKSchemaNamesAMemberThatTheStructLacks
// first-clang: constexpr variable 'kFieldFacts<Spec>' must be initialized by a constant expression

#include "kinformer/object/fields.h"

struct Spec {
#ifdef CORRECT
  int sise = 0;
#else
  int size = 0;
#endif
  static constexpr kinformer::FieldSchema kSchema[] = {{.member = "sise", .minimum = 0}};
};

kinformer::Result<Spec> Read(const kinformer::json::Value& value) {
  return kinformer::FieldsFromValue<Spec>(value);
}
