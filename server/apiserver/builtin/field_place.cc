#include "apiserver/builtin/field_place.h"

namespace kinformer::apiserver {

std::string FieldPlace::Index() const {
  return index ? "[" + std::to_string(*index) + "]" : std::string();
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the messages of a kind.
std::string FieldPlace::Text() const {
  if (parent == nullptr) return {};
  std::string out = parent->Text();
  if (!out.empty()) out += '.';
  out += member;
  return out + Index();
}

std::string FieldPlace::FieldAt(std::string_view field) const {
  std::string base = Text();
  while (field.starts_with("../")) {
    field.remove_prefix(3);
    const std::size_t dot = base.rfind('.');
    base.resize(dot == std::string::npos ? 0 : dot);
  }
  if (field == ".") return base;
  std::string rest(field);
  constexpr std::string_view kOwn = "[*]";
  if (const std::size_t at = rest.find(kOwn); at != std::string::npos) {
    rest.replace(at, kOwn.size(), Index());
  }
  if (!base.empty() && !rest.starts_with('[')) base += '.';
  return base + rest;
}

}  // namespace kinformer::apiserver
