#include "cli/go_template_functions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "kinformer/json/jsonpath.h"

#include "cli/go_value.h"

namespace kinformer::cli {
namespace {

using Values = std::vector<TemplateValue>;
using Function = Result<TemplateValue> (*)(std::string_view name, const Values& arguments);

Error Failed(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

// ---- Comparisons

bool IsBasic(const json::Value& value) { return !value.is_array() && !value.is_object(); }

std::string TypeOf(const json::Value& value) {
  return value.is_null() ? "no value" : std::string(json::TypeName(value.type()));
}

Result<TemplateValue> Equal(std::string_view name, const Values& arguments) {
  if (arguments.size() < 2 || (name == "ne" && arguments.size() > 2)) {
    return Failed("two values are compared, not " + std::to_string(arguments.size()));
  }
  const json::Value& first = ValueOf(arguments.front());
  bool equal = false;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const json::Value& other = ValueOf(arguments[i]);
    if (!IsBasic(first) || !IsBasic(other)) return Failed("objects and lists do not compare");
    if (!first.is_null() && !other.is_null() && first.type() != other.type()) {
      return Failed("a " + TypeOf(first) + " does not compare with a " + TypeOf(other));
    }
    equal = equal || first == other;
  }
  return Computed(json::Value(equal == (name == "eq")));
}

Result<TemplateValue> Order(std::string_view name, const Values& arguments) {
  if (arguments.size() != 2) {
    return Failed("two values are compared, not " + std::to_string(arguments.size()));
  }
  const json::Value& a = ValueOf(arguments[0]);
  const json::Value& b = ValueOf(arguments[1]);
  const bool numbers = a.is_number() && b.is_number();
  if (!numbers && !(a.is_string() && b.is_string())) {
    return Failed("a " + TypeOf(a) + " has no order with a " + TypeOf(b));
  }
  bool less = false;
  bool more = false;
  if (numbers && a.AsInt64() && b.AsInt64()) {
    less = *a.AsInt64() < *b.AsInt64();
    more = *a.AsInt64() > *b.AsInt64();
  } else if (numbers) {
    less = a.AsDouble().value_or(0) < b.AsDouble().value_or(0);
    more = a.AsDouble().value_or(0) > b.AsDouble().value_or(0);
  } else {
    less = *a.AsString() < *b.AsString();
    more = *a.AsString() > *b.AsString();
  }
  const bool holds = name == "lt" ? less : name == "gt" ? more : name == "le" ? !more : !less;
  return Computed(json::Value(holds));
}

Result<TemplateValue> Not(std::string_view /*name*/, const Values& arguments) {
  if (arguments.size() != 1) return Failed("it takes one value");
  return Computed(json::Value(!IsTrue(ValueOf(arguments.front()))));
}

// ---- Parts of values

Result<TemplateValue> Length(std::string_view /*name*/, const Values& arguments) {
  if (arguments.size() != 1) return Failed("it takes one value");
  const json::Value& value = ValueOf(arguments.front());
  if (value.is_string()) return Computed(json::Value(value.StringOrEmpty().size()));
  if (IsBasic(value)) return Failed("a " + TypeOf(value) + " has no length");
  return Computed(json::Value(value.size()));
}

Result<TemplateValue> Index(std::string_view /*name*/, const Values& arguments) {
  if (arguments.empty()) return Failed("a value is missing");
  TemplateValue value = arguments.front();
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const json::Value& of = ValueOf(value);
    const json::Value& key = ValueOf(arguments[i]);
    const json::Value* part = nullptr;
    if (of.is_null()) return Failed("there is no value that could have parts");
    if (of.is_object() && key.is_string()) {
      part = of.Find(key.StringOrEmpty());
    } else if (of.is_array() && key.AsInt64()) {
      const std::int64_t at = *key.AsInt64();
      if (at < 0 || at >= static_cast<std::int64_t>(of.size())) {
        return Failed("index " + std::to_string(at) + " is outside of a list with " +
                      std::to_string(of.size()) + " items");
      }
      part = &of.items()[static_cast<std::size_t>(at)];
    } else {
      return Failed("a " + TypeOf(of) + " has no part for a " + TypeOf(key));
    }
    // The part keeps what it belongs to.
    value = part == nullptr ? nullptr : TemplateValue(value, part);
  }
  return value;
}

// Whether the value has members or items at the end of a path.
Result<TemplateValue> Exists(std::string_view /*name*/, const Values& arguments) {
  if (arguments.empty()) return Failed("a value is missing");
  TemplateValue value = arguments.front();
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    Result<TemplateValue> part = Index("index", {value, arguments[i]});
    if (!part || *part == nullptr) return Computed(json::Value(false));
    value = *std::move(part);
  }
  return Computed(json::Value(true));
}

// ---- Texts

Result<TemplateValue> Print(std::string_view /*name*/, const Values& arguments) {
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool apart =
        i > 0 && !ValueOf(arguments[i - 1]).is_string() && !ValueOf(arguments[i]).is_string();
    text += (apart ? " " : "") + GoText(ValueOf(arguments[i]));
  }
  return Computed(json::Value(std::move(text)));
}

Result<TemplateValue> PrintLine(std::string_view /*name*/, const Values& arguments) {
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    text += (i > 0 ? " " : "") + GoText(ValueOf(arguments[i]));
  }
  return Computed(json::Value(text + "\n"));
}

Result<TemplateValue> Printf(std::string_view /*name*/, const Values& arguments) {
  if (arguments.empty() || !ValueOf(arguments.front()).is_string()) {
    return Failed("its first value must be a text");
  }
  return Computed(json::Value(GoPrintf(ValueOf(arguments.front()).StringOrEmpty(),
                                       {arguments.begin() + 1, arguments.end()})));
}

Result<TemplateValue> DecodeBase64(std::string_view /*name*/, const Values& arguments) {
  if (arguments.size() != 1 || !ValueOf(arguments.front()).is_string()) {
    return Failed("it takes one text");
  }
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string_view text = ValueOf(arguments.front()).StringOrEmpty();
  if (text.size() % 4 != 0) return Failed("the text is not base64");
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  std::string decoded;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return Failed("the text is not base64");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      decoded += static_cast<char>(bits >> count & 0xff);
    }
  }
  return Computed(json::Value(std::move(decoded)));
}

struct Named {
  std::string_view name;
  Function function;  // null: evaluated with the template
};

constexpr Named kFunctions[] = {{"and", nullptr},    {"or", nullptr},
                                {"not", &Not},       {"eq", &Equal},
                                {"ne", &Equal},      {"lt", &Order},
                                {"le", &Order},      {"gt", &Order},
                                {"ge", &Order},      {"len", &Length},
                                {"index", &Index},   {"print", &Print},
                                {"printf", &Printf}, {"println", &PrintLine},
                                {"exists", &Exists}, {"base64decode", &DecodeBase64}};

}  // namespace

TemplateValue Borrowed(const json::Value& value) { return TemplateValue(TemplateValue(), &value); }

TemplateValue Computed(json::Value value) {
  return std::make_shared<const json::Value>(std::move(value));
}

const json::Value& ValueOf(const TemplateValue& value) {
  static const json::Value kNone;
  return value == nullptr ? kNone : *value;
}

bool IsTemplateFunction(std::string_view name) {
  return std::any_of(std::begin(kFunctions), std::end(kFunctions),
                     [&](const Named& one) { return one.name == name; });
}

std::string TemplateFunctions() {
  std::string names;
  for (const Named& one : kFunctions) names += (names.empty() ? "" : ", ") + std::string(one.name);
  return names;
}

Result<TemplateValue> CallTemplateFunction(std::string_view name, const Values& arguments) {
  for (const Named& one : kFunctions) {
    if (one.name != name || one.function == nullptr) continue;
    Result<TemplateValue> value = one.function(name, arguments);
    if (!value) return Failed(std::string(name) + ": " + value.error().message());
    return value;
  }
  return Failed("no function \"" + std::string(name) + "\"");
}

}  // namespace kinformer::cli
