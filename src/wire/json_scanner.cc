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
        kind_ = Kind::kScalar;  // a value has one byte at least, whatever it is
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

std::string_view JsonMembers::value() noexcept {
  if (after_ == nullptr) after_ = bitmap_.SkipValue(value_, end_);
  if (after_ == nullptr) return {};
  return {value_, static_cast<std::size_t>(after_ - value_)};
}

bool JsonMembers::Next() noexcept {
  if (!ok_ || done_) return false;
  const auto fail = [this] {
    ok_ = false;
    return false;
  };
  if (value_ != nullptr) {
    static_cast<void>(value());
    at_ = value_;
    if (after_ == nullptr) return fail();
    at_ = after_;
  }
  at_ = SkipJsonBlanks(at_, end_);
  if (at_ == end_) return fail();
  if (*at_ == '}') {
    ++at_;
    done_ = true;
    return false;
  }
  if (value_ != nullptr) {
    if (*at_ != ',') return fail();
    at_ = SkipJsonBlanks(at_ + 1, end_);
  }
  if (at_ == end_ || *at_ != '"' || at_ + 1 == end_) return fail();
  const char* const quote = bitmap_.NextQuote(at_ + 1);
  if (quote == nullptr || quote >= end_) return fail();
  name_ = {at_ + 1, static_cast<std::size_t>(quote - at_) - 1};
  at_ = SkipJsonBlanks(quote + 1, end_);
  if (at_ == end_ || *at_ != ':') return fail();
  at_ = SkipJsonBlanks(at_ + 1, end_);
  if (at_ == end_ || *at_ == '}' || *at_ == ']' || *at_ == ',' || *at_ == ':') return fail();
  value_ = at_;
  after_ = nullptr;
  return true;
}

std::string_view PlainJsonString(std::string_view value) noexcept {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return {};
  return value.substr(1, value.size() - 2);
}

}  // namespace kinformer::wire
