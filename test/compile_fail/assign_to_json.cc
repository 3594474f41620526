// The views of a JSON object cannot be assigned to.
// expect-gcc: as 'this' argument discards|no match for 'operator='
// expect-clang: no viable overloaded '='

#include "kinformer/object/unstructured.h"

kinformer::json::View Use(kinformer::Unstructured widget, kinformer::json::View value) {
#ifdef CORRECT
  value = widget.root()["spec"]["size"];
#else
  widget.root()["spec"]["size"] = value;
#endif
  return value;
}
