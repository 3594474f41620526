// apiserver/builtin/field_place.h
//
// FieldPlace: the path of a message in an object, as causes name it.

#ifndef KINFORMER_APISERVER_BUILTIN_FIELD_PLACE_H_
#define KINFORMER_APISERVER_BUILTIN_FIELD_PLACE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::apiserver {

// A chain from the object itself, which has no parent, to the message. Converted to text only for
// errors. Does not own the parent or the name.
struct FieldPlace {
  const FieldPlace* parent = nullptr;
  std::string_view member{};
  std::optional<std::size_t> index{};

  // Returns "spec.containers[0]"; empty for the object itself.
  [[nodiscard]] std::string Text() const;
  // Returns the path of a field of the tables, which is relative to this place: "." is the place,
  // "../a" stands beside it, "[a]" behind it. "[*]" is the index of this place.
  [[nodiscard]] std::string FieldAt(std::string_view field) const;

 private:
  [[nodiscard]] std::string Index() const;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_FIELD_PLACE_H_
