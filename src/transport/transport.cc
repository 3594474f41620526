#include "kinformer/client/transport.h"

#include <algorithm>

namespace kinformer {

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameName(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace

void HttpHeaders::Remove(std::string_view name) {
  std::erase_if(fields_, [name](const auto& field) { return SameName(field.first, name); });
}

void HttpHeaders::Add(std::string_view name, std::string_view value) {
  if (fields_.empty()) fields_.reserve(4);
  fields_.emplace_back(name, value);
}

std::string_view HttpHeaders::Get(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (SameName(key, name)) return value;
  }
  return {};
}

bool HttpHeaders::Has(std::string_view name) const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [&](const auto& field) { return SameName(field.first, name); });
}

BodyChunk BodyChunk::Of(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  const std::string_view bytes = *owner;
  return {bytes, std::move(owner)};
}

}  // namespace kinformer
