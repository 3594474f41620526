#include "wire/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <ostream>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::json {
namespace {

void NewLine(TextSink& out, int indent, int level) {
  if (indent == 0) return;
  out.Put('\n');
  out.Put(' ', static_cast<std::size_t>(indent) * static_cast<std::size_t>(level));
}

void PutUnicodeEscape(TextSink& out, unsigned code) {
  static constexpr char kHex[] = "0123456789abcdef";
  out.Put("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) out.Put(kHex[(code >> shift) & 0xfU]);
}

// Writes the first character of `text`, which is not plain, in its escaped form, and returns its
// size in bytes.
std::size_t PutSpecial(TextSink& out, std::string_view text, bool escape_html) {
  const auto c = static_cast<unsigned char>(text[0]);
  if (c >= 0x80) {
    const std::size_t length = Utf8SequenceLength(text);
    const std::string_view sequence = text.substr(0, length);
    if (length == 0) {
      out.Put("\\ufffd");
    } else if (escape_html && (sequence == "\xe2\x80\xa8" || sequence == "\xe2\x80\xa9")) {
      PutUnicodeEscape(out, sequence[2] == '\xa8' ? 0x2028 : 0x2029);
    } else {
      out.Put(sequence);
    }
    return std::max<std::size_t>(length, 1);
  }
  switch (c) {
    case '"':
      out.Put("\\\"");
      break;
    case '\\':
      out.Put("\\\\");
      break;
    case '\n':
      out.Put("\\n");
      break;
    case '\r':
      out.Put("\\r");
      break;
    case '\t':
      out.Put("\\t");
      break;
    case '\b':
      out.Put("\\b");
      break;
    case '\f':
      out.Put("\\f");
      break;
    default:
      PutUnicodeEscape(out, c);
  }
  return 1;
}

// Reads the four hexadecimal digits at `at`. Returns null and sets `bad` if one is invalid.
const char* ReadHex4(const char* at, const char* end, std::uint32_t& code, const char*& bad) {
  code = 0;
  for (int i = 0; i < 4; ++i, ++at) {
    const int digit = at == end ? -1 : HexDigit(*at);
    if (digit < 0) {
      bad = at;
      return nullptr;
    }
    code = (code << 4) | static_cast<std::uint32_t>(digit);
  }
  return at;
}

}  // namespace

std::size_t Utf8SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto tail = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return tail(1) ? 2 : 0;
  if (first < 0xf0) {
    if (!tail(1) || !tail(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;  // overlong
    if (first == 0xed && byte(1) > 0x9f) return 0;  // surrogate
    return 3;
  }
  if (first > 0xf4 || !tail(1) || !tail(2) || !tail(3)) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return 4;
}

std::size_t FirstInvalidUtf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;
    if (text.size() - at >= sizeof(eight)) {
      std::memcpy(&eight, text.data() + at, sizeof(eight));
      if ((eight & 0x8080808080808080) == 0) {
        at += sizeof(eight);
        continue;
      }
    }
    const std::size_t length = Utf8SequenceLength(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

void AppendUtf8(std::uint32_t code, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

std::string ShowByte(char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto u = static_cast<unsigned char>(c);
  if (u >= 0x20 && u < 0x7f) return std::string("'") + c + "'";
  return std::string("byte 0x") + kHex[u >> 4] + kHex[u & 15U];
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

const char* ReadEscape(const char* at, const char* end, std::string* out, const char*& bad) {
  const char* const start = at++;
  bad = end;
  if (at == end) return nullptr;
  char plain = *at++;
  switch (plain) {
    case '"':
    case '\\':
    case '/':
      break;
    case 'b':
      plain = '\b';
      break;
    case 'f':
      plain = '\f';
      break;
    case 'n':
      plain = '\n';
      break;
    case 'r':
      plain = '\r';
      break;
    case 't':
      plain = '\t';
      break;
    case 'u': {
      std::uint32_t code = 0;
      at = ReadHex4(at, end, code, bad);
      if (at == nullptr) return nullptr;
      if (code >= 0xd800 && code < 0xe000) {
        std::uint32_t low = 0;
        const char* ignored = nullptr;
        const char* const pair = code < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u'
                                     ? ReadHex4(at + 2, end, low, ignored)
                                     : nullptr;
        if (pair != nullptr && low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          at = pair;
        } else {
          code = 0xfffd;
        }
      }
      if (out != nullptr) AppendUtf8(code, *out);
      return at;
    }
    default:
      bad = start;
      return nullptr;
  }
  if (out != nullptr) out->push_back(plain);
  return at;
}

std::string DoubleText(double d) {
  if (!std::isfinite(d)) return "null";  // JSON has no such numbers
  const auto write = [d](std::chars_format format) {
    std::array<char, 40> buffer{};
    const auto done = std::to_chars(buffer.data(), buffer.data() + buffer.size(), d, format);
    return std::string(buffer.data(), done.ptr);
  };
  // Ranges in which Go's encoder uses exponents.
  const double magnitude = std::fabs(d);
  const bool exponent = magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21);
  // For larger numbers, to_chars would write more digits than needed to identify the number; Go
  // writes zeros instead.
  constexpr double kTwo53 = 9007199254740992.0;
  if (!exponent && magnitude < kTwo53) return write(std::chars_format::fixed);
  std::string text = write(std::chars_format::scientific);
  const std::size_t e = text.find('e');
  if (exponent) {
    // Go writes e-7, not e-07.
    if (text[e + 2] == '0') text.erase(e + 2, 1);
    return text;
  }
  std::size_t power = 0;
  std::from_chars(text.data() + e + 2, text.data() + text.size(), power);
  text.resize(e);
  std::erase(text, '.');
  const std::size_t sign = text.front() == '-' ? 1 : 0;
  text.append(sign + 1 + power - text.size(), '0');
  return text;
}

std::size_t PlainPrefix(std::string_view text, bool escape_html) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = 0x8080808080808080;
  const auto has_zero = [](std::uint64_t word) { return (word - kOnes) & ~word & kHighs; };
  std::size_t at = 0;
  for (; text.size() - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof(word));
    std::uint64_t found = word | (word - kOnes * 0x20) | has_zero(word ^ kOnes * '\\');
    if (escape_html) {
      // < and > differ in one bit, & and " in another bit.
      found |= has_zero((word & ~(kOnes * 0x02)) ^ kOnes * '<');
      found |= has_zero((word & ~(kOnes * 0x04)) ^ kOnes * '"');
    } else {
      found |= has_zero(word ^ kOnes * '"');
    }
    if ((found & kHighs) != 0) break;
  }
  for (; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') break;
    if (escape_html && (c == '<' || c == '>' || c == '&')) break;
  }
  return at;
}

void TextSink::Grow(std::size_t count) {
  // Less than the whole capacity, which would have to be initialized.
  constexpr std::size_t kAhead = 512;
  const std::size_t used = size();
  out_.resize(used + count + kAhead);
  at_ = out_.data() + used;
  end_ = out_.data() + out_.size();
}

void TextSink::PutQuoted(std::string_view text, bool escape_html) {
  Put('"');
  while (true) {
    const std::size_t plain = PlainPrefix(text, escape_html);
    Put(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    text.remove_prefix(PutSpecial(*this, text, escape_html));
  }
  Put('"');
}

void TextSink::PutValue(const Value& value) { value.Write(*this, {}, 0); }

void AppendQuoted(std::string& out, std::string_view text, bool escape_html) {
  TextSink(out).PutQuoted(text, escape_html);
}

void Value::Write(TextSink& out, const DumpOptions& options, int level) const {
  switch (type()) {
    case Type::kNull:
      out.Put("null");
      return;
    case Type::kBool:
      out.Put(bool_ ? "true" : "false");
      return;
    case Type::kNumber:
      if (rep_ == Rep::kInt) {
        std::array<char, 24> digits{};
        const auto done = std::to_chars(digits.data(), digits.data() + digits.size(), int_);
        out.Put(
            std::string_view(digits.data(), static_cast<std::size_t>(done.ptr - digits.data())));
      } else {
        out.Put(NumberText());
      }
      return;
    case Type::kString:
      out.PutQuoted(string_, options.escape_html);
      return;
    case Type::kArray: {
      if (array_.empty()) {
        out.Put("[]");
        return;
      }
      char before = '[';
      for (const Value& item : array_) {
        out.Put(std::exchange(before, ','));
        NewLine(out, options.indent, level + 1);
        item.Write(out, options, level + 1);
      }
      NewLine(out, options.indent, level);
      out.Put(']');
      return;
    }
    case Type::kObject: {
      const Object& object = object_;
      if (object.empty()) {
        out.Put("{}");
        return;
      }
      std::vector<const Object::Member*> order;
      if (options.sort_keys) {
        order.reserve(object.size());
        for (const Object::Member& member : object) order.push_back(&member);
        std::sort(order.begin(), order.end(),
                  [](const auto* a, const auto* b) { return a->first < b->first; });
      }
      char before = '{';
      const auto append = [&](const Object::Member& member) {
        out.Put(std::exchange(before, ','));
        NewLine(out, options.indent, level + 1);
        out.PutQuoted(member.first, options.escape_html);
        out.Put(options.indent == 0 ? ":" : ": ");
        member.second.Write(out, options, level + 1);
      };
      if (options.sort_keys) {
        for (const Object::Member* member : order) append(*member);
      } else {
        for (const Object::Member& member : object) append(member);
      }
      NewLine(out, options.indent, level);
      out.Put('}');
      return;
    }
  }
}

void Value::AppendTo(std::string& out, const DumpOptions& options) const {
  TextSink sink(out);
  Write(sink, options, 0);
}

std::string Value::Dump(const DumpOptions& options) const {
  std::string out;
  AppendTo(out, options);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Value& value) { return out << value.Dump(); }

}  // namespace kinformer::json
