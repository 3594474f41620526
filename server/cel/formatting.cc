// "..".format([..]): texts with values in the places of %s, %d, %f, %e, %b, %o, %x and %X.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>

#include "base/text/go_text.h"
#include "base/text/number_in.h"
#include "cel/evaluator.h"
#include "cel/functions.h"

namespace kinformer::internal::cel {
namespace {

using enum ValueKind;
constexpr int kDefaultPrecision = 6;
constexpr std::size_t kMaxPrecision = 1000;

class Formatter {
 public:
  Formatter(Evaluation& evaluation, std::string_view format, const Value& arguments)
      : evaluation_(evaluation), format_(format), arguments_(arguments) {}

  Value Run() {
    while (at_ < format_.size() && error_.empty()) {
      const std::size_t percent = format_.find('%', at_);
      out_ += format_.substr(at_, percent - at_);
      if (percent == std::string_view::npos) break;
      at_ = percent + 1;
      if (at_ >= format_.size()) {
        error_ = "unexpected end of string";
      } else if (format_[at_] == '%') {
        out_ += '%';
        ++at_;
      } else {
        Clause();
      }
      if (!evaluation_.ChargeText(out_.size() - charged_)) return Evaluation::OverBudget();
      charged_ = out_.size();
    }
    if (evaluation_.exhausted()) return Evaluation::OverBudget();
    return error_.empty() ? Value::String(std::move(out_)) : Value::Error(error_);
  }

 private:
  void Clause() {
    int precision = kDefaultPrecision;
    if (format_[at_] == '.') {
      const std::size_t end = format_.find_first_not_of("0123456789", at_ + 1);
      const auto digits = base::NumberIn<std::size_t>(format_.substr(at_ + 1, end - at_ - 1));
      if (!digits || *digits > kMaxPrecision || end == std::string_view::npos) {
        error_ = "error while parsing precision";
        return;
      }
      precision = static_cast<int>(*digits);
      at_ = end;
    }
    const char verb = format_[at_++];
    if (std::string_view("sdfebxXo").find(verb) == std::string_view::npos) {
      error_ = std::string("could not parse formatting clause: unrecognized formatting clause \"") +
               verb + "\"";
      return;
    }
    if (next_ >= arguments_.size()) {
      error_ = "index " + std::to_string(next_) + " out of range";
      return;
    }
    Write(verb, precision, arguments_.item(next_++));
  }

  void Refuse(std::string_view what, std::string_view kinds, const Value& value) {
    error_ = "error during formatting: " + std::string(what) + " clause can only be used on " +
             std::string(kinds) + ", was given " + std::string(KindName(value.kind()));
  }

  void Write(char verb, int precision, const Value& value) {
    switch (verb) {
      case 's':
        return WriteText(value);
      case 'd':
        if (!value.is(kInt) && !value.is(kUint)) {
          return Refuse("decimal", "integers", value);
        }
        out_ += TextOf(value).text();
        return;
      case 'f':
      case 'e':
        return WriteDouble(verb, precision, value);
      case 'b':
        if (value.is(kBool)) {
          out_ += value.is_true() ? '1' : '0';
          return;
        }
        return WriteDigits(2, false, value);
      case 'o':
        return WriteDigits(8, false, value);
      default:
        return WriteHex(verb == 'X', value);
    }
  }

  void WriteDouble(char verb, int precision, const Value& value) {
    if (!value.is(kDouble)) {
      return Refuse(verb == 'f' ? "fixed-point" : "scientific", "doubles", value);
    }
    if (std::isinf(value.number())) {
      // As a real server does, which pads the sign.
      const bool negative = value.number() < 0;
      if (verb == 'e') out_ += negative ? "    " : "     ";
      out_ += negative ? "-∞" : "∞";
      return;
    }
    if (std::isnan(value.number())) {
      out_ += verb == 'e' ? "   NaN" : "NaN";
      return;
    }
    // A zero has no sign there.
    const double number = value.number() == 0 ? 0 : value.number();
    if (verb == 'f') {
      WriteGrouped(Digits(number, std::chars_format::fixed, precision));
    } else {
      // It has six digits whatever the clause asks for.
      WriteScientific(Digits(number, std::chars_format::scientific, kDefaultPrecision));
    }
  }

  static std::string Digits(double number, std::chars_format form, int precision) {
    std::string text(static_cast<std::size_t>(precision) + 400, '\0');
    const auto [end, error] =
        std::to_chars(text.data(), text.data() + text.size(), number, form, precision);
    text.resize(error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0);
    return text;
  }

  // Writes "1,234,567.5", as English texts have it.
  void WriteGrouped(const std::string& text) {
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    const std::size_t end = std::min(text.find('.'), text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i > first && i < end && (end - i) % 3 == 0) out_ += ',';
      out_ += text[i];
    }
  }

  // Writes "1.5e-05" as 1.5×10⁻⁰⁵.
  void WriteScientific(const std::string& text) {
    constexpr std::array<std::string_view, 10> kRaised = {"⁰", "¹", "²", "³", "⁴",
                                                          "⁵", "⁶", "⁷", "⁸", "⁹"};
    const std::size_t e = std::min(text.find('e'), text.size());
    out_.append(text, 0, e);
    out_ += "×10";
    for (std::size_t i = e + 1; i < text.size(); ++i) {
      if (text[i] == '-') out_ += "⁻";
      if (text[i] >= '0' && text[i] <= '9')
        out_ += kRaised[static_cast<std::size_t>(text[i] - '0')];
    }
  }

  void WriteDigits(int radix, bool upper, const Value& value) {
    if (!value.is(kInt) && !value.is(kUint)) {
      return Refuse(radix == 2 ? "binary" : radix == 8 ? "octal" : "hex", "integers", value);
    }
    std::array<char, 72> text{};
    char* const start = text.data();
    char* const limit = start + text.size();
    char* const end = value.is(kInt)
                          ? std::to_chars(start, limit, value.integer(), radix).ptr
                          : std::to_chars(start, limit, value.unsigned_integer(), radix).ptr;
    if (upper) {
      std::transform(start, end, start, [](char c) {
        return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
      });
    }
    out_.append(start, end);
  }

  void WriteHex(bool upper, const Value& value) {
    if (!value.is(kString) && !value.is(kBytes)) return WriteDigits(16, upper, value);
    const std::string_view digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    for (const char c : value.text()) {
      const auto byte = static_cast<unsigned char>(c);
      out_ += digits[byte >> 4U];
      out_ += digits[byte & 15U];
    }
  }

  void WriteText(const Value& value) {
    switch (value.kind()) {
      case kList:
      case kMap:
        return WriteLiteral(value);
      case kNull:
        out_ += "null";
        return;
      case kType:
        out_ += TypeText(*value.type());
        return;
      default: {
        const Value text = TextOf(value);
        if (text.is_error()) {
          return Refuse("string",
                        "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
                        "timestamps",
                        value);
        }
        out_ += text.text();
      }
    }
  }

  // Writes a value in a list or a map as the language would.
  void WriteLiteral(const Value& value) {
    // A step, and what has been written since the last one.
    if (!error_.empty() || !evaluation_.Charge(3) ||
        !evaluation_.ChargeText(out_.size() - charged_)) {
      return;
    }
    charged_ = out_.size();
    switch (value.kind()) {
      case kError:
        error_ = value.text();
        return;
      case kString:
        out_ += base::GoQuoted(value.text());
        return;
      case kBytes:
        out_ += 'b' + base::GoQuoted(value.text());
        return;
      case kDouble:
        if (std::isfinite(value.number())) {
          out_ += Digits(value.number(), std::chars_format::fixed, kDefaultPrecision);
          return;
        }
        out_ += base::GoQuoted(base::GoFloat(value.number()));
        return;
      case kTimestamp:
        out_ += "timestamp(" + base::GoQuoted(TextOf(value).text()) + ")";
        return;
      case kDuration:
        out_ += "duration(" + base::GoQuoted(TextOf(value).text()) + ")";
        return;
      case kList:
        out_ += '[';
        for (std::size_t i = 0; i < value.size(); ++i) {
          if (i > 0) out_ += ", ";
          WriteLiteral(value.item(i));
        }
        out_ += ']';
        return;
      case kMap:
        return WriteMap(value);
      default:
        return WriteText(value);
    }
  }

  void WriteMap(const Value& value) {
    std::vector<std::pair<std::string, std::size_t>> keys;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Value key = value.key(i);
      const Value text = TextOf(key);
      keys.emplace_back(key.is(kString) ? base::GoQuoted(text.text()) : std::string(text.text()),
                        i);
    }
    std::ranges::sort(keys);
    out_ += '{';
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0) out_ += ", ";
      out_ += keys[i].first + ":";
      WriteLiteral(value.value(keys[i].second));
    }
    out_ += '}';
  }

  Evaluation& evaluation_;
  std::string_view format_;
  const Value& arguments_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;
  std::size_t charged_ = 0;
  std::string out_;
  std::string error_;
};

}  // namespace

Value Formatted(Evaluation& evaluation, std::string_view format, const Value& arguments) {
  return Formatter(evaluation, format, arguments).Run();
}

}  // namespace kinformer::internal::cel
