#include "wire/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <ostream>
#include <utility>
#include <vector>

#include "kinformer/json.h"

namespace kinformer::json {
namespace {

void NewLine(std::string& out, int indent, int level) {
  if (indent == 0) return;
  out.push_back('\n');
  out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(level), ' ');
}

// The four hexadecimal digits at `at`. Null, with `bad` at what is none, if they are not there.
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
  std::array<char, 40> buffer{};
  // The ranges in which Go's encoder uses exponents.
  const double magnitude = std::fabs(d);
  const bool exponent = magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21);
  const auto done =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), d,
                    exponent ? std::chars_format::scientific : std::chars_format::fixed);
  std::string text(buffer.data(), done.ptr);
  // Go writes e-7, not e-07.
  const std::size_t e = text.find('e');
  if (e != std::string::npos && e + 3 < text.size() && text[e + 2] == '0' && text[e + 1] == '-') {
    text.erase(e + 2, 1);
  }
  return text;
}

void AppendQuoted(std::string& out, std::string_view text, bool escape_html) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto escape = [&out](unsigned code) {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out.push_back(kHex[(code >> shift) & 0xfU]);
  };
  out.push_back('"');
  std::size_t plain = 0;  // start of the run that needs no escape
  std::size_t i = 0;
  const auto flush = [&] { out.append(text.substr(plain, i - plain)); };
  while (i < text.size()) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      if (c >= 0x20 && c != '"' && c != '\\' &&
          !(escape_html && (c == '<' || c == '>' || c == '&'))) {
        ++i;
        continue;
      }
      flush();
      switch (c) {
        case '"':
          out += "\\\"";
          break;
        case '\\':
          out += "\\\\";
          break;
        case '\n':
          out += "\\n";
          break;
        case '\r':
          out += "\\r";
          break;
        case '\t':
          out += "\\t";
          break;
        case '\b':
          out += "\\b";
          break;
        case '\f':
          out += "\\f";
          break;
        default:
          escape(c);
      }
      plain = ++i;
      continue;
    }
    const std::string_view rest = text.substr(i);
    const std::size_t length = Utf8SequenceLength(rest);
    const bool separator =
        escape_html && length == 3 &&
        (rest.substr(0, 3) == "\xe2\x80\xa8" || rest.substr(0, 3) == "\xe2\x80\xa9");
    if (length != 0 && !separator) {
      i += length;
      continue;
    }
    flush();
    if (separator) {
      escape(rest[2] == '\xa8' ? 0x2028 : 0x2029);
      i += 3;
    } else {
      out += "\\ufffd";
      ++i;
    }
    plain = i;
  }
  flush();
  out.push_back('"');
}

void Value::Write(std::string& out, const DumpOptions& options, int level) const {
  switch (type()) {
    case Type::kNull:
      out += "null";
      return;
    case Type::kBool:
      out += std::get<bool>(rep_) ? "true" : "false";
      return;
    case Type::kNumber:
      out += NumberText();
      return;
    case Type::kString:
      AppendQuoted(out, std::get<std::string>(rep_), options.escape_html);
      return;
    case Type::kArray: {
      const Array& array = std::get<Array>(rep_);
      if (array.empty()) {
        out += "[]";
        return;
      }
      out.push_back('[');
      bool first = true;
      for (const Value& item : array) {
        if (!std::exchange(first, false)) out.push_back(',');
        NewLine(out, options.indent, level + 1);
        item.Write(out, options, level + 1);
      }
      NewLine(out, options.indent, level);
      out.push_back(']');
      return;
    }
    case Type::kObject: {
      const Object& object = std::get<Object>(rep_);
      if (object.empty()) {
        out += "{}";
        return;
      }
      std::vector<const Object::Member*> order;
      if (options.sort_keys) {
        order.reserve(object.size());
        for (const Object::Member& member : object) order.push_back(&member);
        std::sort(order.begin(), order.end(),
                  [](const auto* a, const auto* b) { return a->first < b->first; });
      }
      bool first = true;
      const auto append = [&](const Object::Member& member) {
        out.push_back(std::exchange(first, false) ? '{' : ',');
        NewLine(out, options.indent, level + 1);
        AppendQuoted(out, member.first, options.escape_html);
        out += options.indent == 0 ? ":" : ": ";
        member.second.Write(out, options, level + 1);
      };
      if (options.sort_keys) {
        for (const Object::Member* member : order) append(*member);
      } else {
        for (const Object::Member& member : object) append(member);
      }
      NewLine(out, options.indent, level);
      out.push_back('}');
      return;
    }
  }
}

void Value::AppendTo(std::string& out, const DumpOptions& options) const { Write(out, options, 0); }

std::string Value::Dump(const DumpOptions& options) const {
  std::string out;
  Write(out, options, 0);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Value& value) { return out << value.Dump(); }

}  // namespace kinformer::json
