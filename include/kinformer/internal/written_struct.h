// kinformer/internal/written_struct.h
//
// WrittenStruct: a generated struct that may have to be written. Its encoding is made only then.

#ifndef KINFORMER_INTERNAL_WRITTEN_STRUCT_H_
#define KINFORMER_INTERNAL_WRITTEN_STRUCT_H_

#include <string>
#include <string_view>

#include "kinformer/internal/request_object.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/object/box.h"

namespace kinformer::internal {

// All of it must outlive this.
struct WrittenStruct {
  const MutableTable& table;
  const void* object;
  const std::string& namespace_;
  const std::string& name;
  bool is_partial;
  bool is_being_deleted;
  std::string_view home;  // namespace of an object that has none; empty: its namespace stays empty

  [[nodiscard]] RequestObject Request() const {
    return RequestOfStruct(table, object, namespace_, name, is_partial, home);
  }
};

// T is the view.
template <class T>
  requires IsGenerated<typename T::Mutable>
WrittenStruct ToWrittenStruct(const typename T::Mutable& object, std::string_view home) {
  bool is_partial = false;
  if constexpr (requires { object.is_partial; }) is_partial = object.is_partial;
  return {.table = T::Mutable::mutable_table(),
          .object = &object,
          .namespace_ = object.metadata.namespace_,
          .name = object.metadata.name,
          .is_partial = is_partial,
          .is_being_deleted = object.metadata.deletionTimestamp.has_value(),
          .home = home};
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_WRITTEN_STRUCT_H_
