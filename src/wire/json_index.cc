#include "wire/json_index.h"

#include <algorithm>
#include <memory>
#include <simdjson.h>

namespace kinformer::wire {
namespace {

// Limit for the text's size: a thread keeps 4 bytes for each byte of its longest text.
constexpr std::size_t kLongest = std::size_t{1} << 20;

}  // namespace

std::span<const std::uint32_t> IndexJson(std::string_view text) noexcept {
  thread_local std::unique_ptr<simdjson::internal::dom_parser_implementation> indexer;
  if (text.empty() || text.size() > kLongest) return {};
  if (indexer == nullptr || indexer->capacity() < text.size()) {
    const std::size_t capacity = std::max<std::size_t>(std::size_t{16} << 10, text.size() * 5 / 4);
    const auto made = simdjson::get_active_implementation()->create_dom_parser_implementation(
        capacity, 1, indexer);
    if (made != simdjson::SUCCESS) return {};
  }
  // Uses only simdjson's first stage: the second stage and the DOM keep neither the text nor the
  // position of values.
  const auto error = indexer->stage1(reinterpret_cast<const std::uint8_t*>(text.data()),
                                     text.size(), simdjson::stage1_mode::regular);
  if (error != simdjson::SUCCESS) return {};
  return {indexer->structural_indexes.get(), indexer->n_structural_indexes};
}

bool IsUtf8(std::string_view text) noexcept {
  return simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace kinformer::wire
