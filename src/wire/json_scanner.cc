#include "wire/json_scanner.h"

namespace kinformer::wire {

const char* JsonValueScanner::Scan(const JsonBitmap& bitmap, const char* at) noexcept {
  const char* const end = bitmap.text().data() + bitmap.text().size();
  if (at == end) return nullptr;
  if (kind_ == Kind::kUnknown) {
    switch (*at) {
      case '{':
      case '[':
        kind_ = Kind::kNested;
        depth_ = 1;
        break;
      case '"':
        kind_ = Kind::kString;
        break;
      default:
        kind_ = Kind::kScalar;  // a value has at least one byte
        break;
    }
    if (++at == end) return nullptr;
  }
  if (kind_ == Kind::kNested) return bitmap.Close(at, depth_);
  if (kind_ == Kind::kString) {
    const char* const quote = bitmap.NextQuote(at);
    return quote != nullptr ? quote + 1 : nullptr;
  }
  while (at != end && !EndsJsonScalar(*at)) ++at;
  return at != end ? at : nullptr;
}

JsonMembers::JsonMembers(std::string_view object, const JsonBitmap& bitmap) noexcept
    : bitmap_(bitmap), begin_(object.data()), at_(begin_), end_(begin_ + object.size()) {
  at_ = SkipJsonBlanks(at_, end_);
  if (at_ == end_ || *at_ != '{') {
    ok_ = false;
  } else {
    ++at_;
  }
}

bool JsonMembers::Next() noexcept {
  if (!ok_ || done_) return false;
  const char* const end = end_;
  const char* at = at_;
  const auto fail = [this](const char* where) {
    at_ = where;
    ok_ = false;
    return false;
  };
  if (value_ != nullptr) {
    at = after_ != nullptr ? after_ : bitmap_.SkipValue(value_, end);
    if (at == nullptr) return fail(value_);
  }
  at = SkipJsonBlanks(at, end);
  if (at == end) return fail(at);
  if (*at == '}') {
    at_ = at + 1;
    done_ = true;
    return false;
  }
  if (value_ != nullptr) {
    if (*at != ',') return fail(at);
    at = SkipJsonBlanks(at + 1, end);
  }
  if (at == end || *at != '"' || at + 1 == end) return fail(at);
  const char* const quote = bitmap_.NextQuote(at + 1);
  if (quote == nullptr || quote >= end) return fail(at);
  name_ = {at + 1, static_cast<std::size_t>(quote - at) - 1};
  at = SkipJsonBlanks(quote + 1, end);
  if (at == end || *at != ':') return fail(at);
  at = SkipJsonBlanks(at + 1, end);
  if (at == end || *at == '}' || *at == ']' || *at == ',' || *at == ':') return fail(at);
  value_ = at_ = at;
  after_ = nullptr;
  return true;
}

std::string_view PlainJsonString(std::string_view value) noexcept {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return {};
  return value.substr(1, value.size() - 2);
}

}  // namespace kinformer::wire
