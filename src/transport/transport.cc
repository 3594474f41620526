#include "kinformer/client/transport.h"

#include "base/text/ascii_case.h"

namespace kinformer {

using internal::base::SameIgnoringCase;

void HttpHeaders::Remove(std::string_view name) {
  std::erase_if(fields_, [name](const auto& field) { return SameIgnoringCase(field.first, name); });
}

void HttpHeaders::Add(std::string_view name, std::string_view value) {
  if (fields_.empty()) fields_.reserve(4);
  fields_.emplace_back(name, value);
}

std::string_view HttpHeaders::Get(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (SameIgnoringCase(key, name)) return value;
  }
  return {};
}

bool HttpHeaders::Has(std::string_view name) const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [&](const auto& field) { return SameIgnoringCase(field.first, name); });
}

BodyChunk BodyChunk::Of(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  const std::string_view bytes = *owner;
  return {bytes, std::move(owner)};
}

}  // namespace kinformer
