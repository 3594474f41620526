#include "kinformer/client/transport.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kinformer {

namespace {

// Fields of a usual answer of an API server, and their bytes.
constexpr std::size_t kUsualFields = 8;
constexpr std::size_t kUsualText = 384;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameName(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  return a == b || std::equal(a.begin(), a.end(), b.begin(),
                              [](char x, char y) { return Lower(x) == Lower(y); });
}

// Returns the first field of that name; null: none.
template <class Ends>
const Ends* FindField(const std::vector<Ends>& fields, std::string_view text,
                      std::string_view name) {
  std::size_t begin = 0;
  for (const Ends& ends : fields) {
    const std::string_view here(text.data() + begin, ends.name - begin);
    if (SameName(here, name)) return &ends;
    begin = ends.value;
  }
  return nullptr;
}

}  // namespace

HttpHeaders::Field HttpHeaders::At(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1].value;
  const Ends& ends = ends_[index];
  const std::string_view text(text_);
  return {text.substr(begin, ends.name - begin), text.substr(ends.name, ends.value - ends.name)};
}

void HttpHeaders::Remove(std::string_view name) {
  if (!Has(name)) return;
  HttpHeaders kept;
  for (const auto& [key, value] : *this) {
    if (!SameName(key, name)) kept.Add(key, value);
  }
  *this = std::move(kept);
}

void HttpHeaders::Add(std::string_view name, std::string_view value) {
  const std::size_t name_end = text_.size() + name.size();
  const std::size_t end = name_end + value.size();
  if (end <= text_.capacity()) {
    text_.append(name).append(value);
  } else {
    if (ends_.empty()) ends_.reserve(kUsualFields);
    // The old text lives until both are copied: they may be parts of it.
    std::string grown;
    grown.reserve(std::max(kUsualText, 2 * end));
    grown.append(text_).append(name).append(value);
    text_ = std::move(grown);
  }
  ends_.push_back({static_cast<std::uint32_t>(name_end), static_cast<std::uint32_t>(end)});
}

std::string_view HttpHeaders::Get(std::string_view name) const {
  const Ends* const field = FindField(ends_, text_, name);
  if (field == nullptr) return {};
  return std::string_view(text_).substr(field->name, field->value - field->name);
}

bool HttpHeaders::Has(std::string_view name) const {
  return FindField(ends_, text_, name) != nullptr;
}

BodyChunk BodyChunk::Of(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  const std::string_view bytes = *owner;
  return {bytes, std::move(owner)};
}

}  // namespace kinformer
