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

bool JsonMembers::Next() noexcept {
  if (!ok_ || done_) return false;
  const auto fail = [this] {
    ok_ = false;
    return false;
  };
  at_ = SkipJsonBlanks(at_, end_);
  if (at_ == end_) return fail();
  if (*at_ == '}') {
    done_ = true;
    return false;
  }
  if (!first_) {
    if (*at_ != ',') return fail();
    at_ = SkipJsonBlanks(at_ + 1, end_);
  }
  first_ = false;
  if (at_ == end_ || *at_ != '"') return fail();
  const char* const name = at_;
  at_ = bitmap_.SkipValue(at_, end_);
  if (at_ == nullptr) {
    at_ = name;
    return fail();
  }
  name_ = {name + 1, static_cast<std::size_t>(at_ - name) - 2};
  at_ = SkipJsonBlanks(at_, end_);
  if (at_ == end_ || *at_ != ':') return fail();
  at_ = SkipJsonBlanks(at_ + 1, end_);
  const char* const value = at_;
  at_ = bitmap_.SkipValue(at_, end_);
  if (at_ == nullptr) {
    at_ = value;
    return fail();
  }
  value_ = {value, static_cast<std::size_t>(at_ - value)};
  return true;
}

std::string_view PlainJsonString(std::string_view value) noexcept {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return {};
  return value.substr(1, value.size() - 2);
}

}  // namespace kinformer::wire
