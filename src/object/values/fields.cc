#include "kinformer/object/fields.h"

#include <cstdio>
#include <cstdlib>

#include "kinformer/internal/struct_in_block.h"

namespace kinformer::internal {
namespace {

std::string_view WithArticle(json::Type type) {
  switch (type) {
    case json::Type::kNull:
      return "null";
    case json::Type::kBool:
      return "a boolean";
    case json::Type::kNumber:
      return "a number";
    case json::Type::kString:
      return "a string";
    case json::Type::kArray:
      return "an array";
    case json::Type::kObject:
      return "an object";
  }
  return "something else";
}

template <class T>
bool Take(Result<T> read, T& out, FieldsReading& reading) {
  if (!read) return reading.Fail(read.error().message());
  out = *std::move(read);
  return true;
}

}  // namespace

bool FieldsReading::WrongType(std::string_view wanted, json::Type got) {
  std::string why = "expected ";
  why += wanted;
  why += ", got ";
  why += WithArticle(got);
  return Fail(std::move(why));
}

bool FieldsReading::Within(std::string_view name) {
  if (!path.empty() && path.front() != '[') path.insert(0, 1, '.');
  path.insert(0, name);
  return false;
}

bool FieldsReading::Within(std::size_t index) {
  if (!path.empty() && path.front() != '[') path.insert(0, 1, '.');
  path.insert(0, "[" + std::to_string(index) + "]");
  return false;
}

Error FieldsReading::ToError() const {
  return Error(Reason::kDecode, path.empty() ? what : path + ": " + what);
}

bool ReadText(std::string_view text, metav1::Time& out, FieldsReading& reading) {
  return text.empty() || Take(metav1::Time::Parse(text), out, reading);
}

bool ReadText(std::string_view text, metav1::MicroTime& out, FieldsReading& reading) {
  metav1::Time time;
  if (!ReadText(text, time, reading)) return false;
  out = metav1::MicroTime(time);
  return true;
}

bool ReadText(std::string_view text, metav1::Duration& out, FieldsReading& reading) {
  return Take(metav1::Duration::Parse(text), out, reading);
}

bool ReadText(std::string_view text, resource::Quantity& out, FieldsReading& reading) {
  return Take(resource::Quantity::Parse(text), out, reading);
}

void FailWithoutStruct(const Block* block, const KindInfo& wanted) {
  const std::string what(block->type().kind);
  const std::string want = wanted.apiVersion() + " " + std::string(wanted.kind);
  std::fprintf(
      stderr,
      "kinformer: a view of %s shows an object (%s) that was not built for it: list, watch "
      "and get it by the same CustomResource type\n",
      want.c_str(), what.c_str());
  std::abort();
}

bool FailInteger(std::string_view text, std::size_t bits, FieldsReading& reading) {
  const bool integer = text.find_first_of(".eE") == std::string_view::npos;
  std::string why = integer ? "" : "expected an integer, got ";
  why += text;
  if (integer) why += " does not fit into the member's " + std::to_string(bits) + " bits";
  return reading.Fail(std::move(why));
}

}  // namespace kinformer::internal
