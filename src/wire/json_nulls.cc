#include "wire/json_nulls.h"

#include <cstddef>

namespace kinformer::json {

void DropNulls(Value& value) {
  if (Object* const object = value.IfObject()) {
    object->EraseIf([](const Object::Member& member) { return member.second.is_null(); });
    for (std::size_t i = 0; i < object->size(); ++i) DropNulls(object->value(i));
  } else if (Array* const array = value.IfArray()) {
    for (Value& item : *array) DropNulls(item);
  }
}

}  // namespace kinformer::json
