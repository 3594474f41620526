#include "apiserver/schema/schema_validation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/schema/metadata_rules.h"
#include "apiserver/schema/schema_correlation.h"
#include "cel/value_format.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

// Field name in causes of rules that concern several fields at once.
constexpr std::string_view kNoField = "<nil>";

bool IsWhole(double number) { return std::nearbyint(number) == number; }

// Returns whether the number fits into an int64, in whatever notation.
bool IsInteger(const Value& value) { return value.AsInt64().has_value(); }

// Returns the name of a value's type as used in messages.
std::string_view TypeOf(const Value& value) {
  if (value.is_bool()) return "boolean";
  return IsInteger(value) ? "integer" : json::TypeName(value.type());
}

bool HasType(SchemaType type, const Value& value) {
  switch (type) {
    case SchemaType::kAny:
      return true;
    case SchemaType::kObject:
      return value.is_object();
    case SchemaType::kArray:
      return value.is_array();
    case SchemaType::kString:
      return value.is_string();
    case SchemaType::kInteger:
      return IsInteger(value);
    case SchemaType::kNumber:
      return value.is_number();
    case SchemaType::kBoolean:
      return value.is_bool();
  }
  return false;
}

// Returns the shortest text of a number, without an exponent where Go writes none.
std::string NumberText(double number) {
  if (number == 0 && std::signbit(number)) return "-0";
  if (IsWhole(number) && std::abs(number) < 1e15) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  std::array<char, 40> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::string(text.data(), end) : std::string();
}

// Returns a number as Go prints a float64: with an exponent below 0.0001 and from a million on.
std::string FloatText(double number) {
  const double size = std::abs(number);
  const bool exponent = size != 0 && (size < 1e-4 || size >= 1e6);
  std::array<char, 40> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), number,
                    exponent ? std::chars_format::scientific : std::chars_format::fixed);
  return error == std::errc() ? std::string(text.data(), end) : std::string();
}

// Returns the length in code points.
std::int64_t LengthOf(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

std::string Plural(std::int64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

bool IsMultiple(double number, double factor) {
  if (factor == 0) return true;
  if (std::trunc(number) == number && std::trunc(factor) == factor) {
    return std::fmod(number, factor) == 0;
  }
  const double times = number / factor;
  return std::abs(times - std::nearbyint(times)) < 1e-9 * std::max(1.0, std::abs(times));
}

class Validator {
 public:
  // `keys`, `embedded`: whether to check keys of lists, and embedded objects.
  Validator(std::string_view prefix, bool keys, bool embedded = true)
      : prefix_(prefix), keys_(keys), embedded_(embedded) {}

  void Check(const SchemaNode& schema, const Value& value, const Value* old) {
    // An unchanged value was accepted before.
    if (old != nullptr && IsUnchanged(schema, value, *old)) return;
    if (Full()) return;
    if (value.is_null()) {
      // Only type and enumeration apply to null.
      if (!schema.nullable) CheckType(schema, value);
      if (!schema.enumeration.empty()) CheckEnumeration(schema, value);
      return;
    }
    CheckType(schema, value);
    CheckCombinations(schema, value);
    if (const auto text = value.AsString()) CheckText(schema, *text, value);
    if (value.is_number()) CheckNumber(schema, value);
    if (value.is_array()) CheckArray(schema, value, old);
    if (!schema.enumeration.empty()) CheckEnumeration(schema, value);
    if (value.is_object()) CheckObject(schema, value, old);
  }

  // Checks embedded objects and the keys of lists, after everything else.
  void CheckExtensions(const SchemaNode& schema, const Value& value, bool root) {
    if (Full()) return;
    if (schema.embedded_resource && embedded_ && value.is_object() && !root) CheckEmbedded(value);
    if (keys_ && value.is_array() && schema.list_type != ListType::kAtomic)
      CheckKeys(schema, value);
    const bool before = std::exchange(brackets_, true);
    EachChild(schema, value, nullptr,
              [this](const SchemaNode& child, const Value& member, const Value* /*before*/) {
                CheckExtensions(child, member, false);
              });
    brackets_ = before;
  }

  std::vector<StatusCause> Take() { return std::move(causes_); }

 private:
  [[nodiscard]] std::string Field() const {
    if (prefix_.empty()) return path_;
    return path_.empty() ? prefix_ : prefix_ + "." + path_;
  }

  [[nodiscard]] bool Full() const {
    return causes_.size() >= kMaxCauses || cause_bytes_ > kMaxCauseBytes;
  }
  void Note(StatusCause cause) {
    cause_bytes_ += cause.message.size() + cause.field.size();
    causes_.push_back(std::move(cause));
  }

  void Invalid(std::string_view value, std::string_view rule) {
    Note(InvalidValue(Field(), value, path_ + " in body should " + std::string(rule)));
  }
  void Unplaced(std::string_view detail) {
    Note(InvalidValue(prefix_.empty() ? std::string(kNoField) : prefix_, "\"\"", detail));
  }
  // `wanted` is a type or a format; `shown` the actual value.
  void WrongType(std::string_view wanted, std::string_view shown) {
    StatusCause cause = InvalidValue(
        Field(), shown,
        path_ + " in body must be of type " + std::string(wanted) + ": " + std::string(shown));
    cause.reason = "FieldValueTypeInvalid";
    Note(std::move(cause));
  }

  void CheckType(const SchemaNode& schema, const Value& value) {
    if (schema.int_or_string) {
      if (!value.is_string() && !IsInteger(value)) {
        WrongType("integer,string", GoQuoted(TypeOf(value)));
      }
      return;
    }
    if (schema.type == SchemaType::kAny && value.is_null() && !schema.preserve_unknown) return;
    if (schema.type == SchemaType::kInteger && schema.format == "int64" && value.is_number() &&
        !IsInteger(value) && IsWhole(value.AsDouble().value_or(0))) {
      WrongType("int64", "\"float64\"");
    } else if (!HasType(schema.type, value)) {
      WrongKind(schema, value);
    }
  }

  // Reports a value of the wrong type. As on a real server, the format is checked before the type:
  // formats apply to strings and lists, and other values are reported as violating the format.
  void WrongKind(const SchemaNode& schema, const Value& value) {
    const bool text = value.is_string() || value.is_array();
    const bool formatted = internal::cel::IsKnownFormat(schema.format) && !value.is_null();
    if (formatted && text && schema.type != SchemaType::kInteger &&
        schema.type != SchemaType::kNumber) {
      return;
    }
    if (!formatted || text) return WrongType(SchemaTypeName(schema.type), GoQuoted(TypeOf(value)));
    WrongType(schema.format,
              value.is_number() ? IsInteger(value) ? "\"int64\"" : "\"float64\"" : "\"\"");
  }

  void CheckCombinations(const SchemaNode& schema, const Value& value) {
    if (!schema.any_of.empty()) {
      if (std::vector<StatusCause> first; Matching(schema.any_of, value, first) == 0) {
        Unplaced(GoQuoted(path_) + " must validate at least one schema (anyOf)");
        Append(std::move(first));
      }
    }
    if (!schema.one_of.empty()) {
      std::vector<StatusCause> first;
      const std::size_t matching = Matching(schema.one_of, value, first);
      if (matching != 1) {
        Unplaced(GoQuoted(path_) + " must validate one and only one schema (oneOf). Found " +
                 (matching == 0 ? std::string("none valid")
                                : std::to_string(matching) + " valid alternatives"));
        if (matching == 0) Append(std::move(first));
      }
    }
    if (!schema.all_of.empty()) {
      const std::size_t before = causes_.size();
      for (const SchemaNode& each : schema.all_of) Check(each, value, nullptr);
      if (causes_.size() != before) {
        Unplaced(GoQuoted(path_) + " must validate all the schemas (allOf)");
      }
    }
    if (schema.not_ != nullptr && Try(*schema.not_, value, /*keeps=*/false).empty()) {
      Unplaced(GoQuoted(path_) + " must not validate the schema (not)");
    }
  }

  // Returns the causes of another schema for the value. `keeps`: their texts are needed, not only
  // whether there are any.
  std::vector<StatusCause> Try(const SchemaNode& schema, const Value& value, bool keeps) {
    std::vector<StatusCause> kept = std::exchange(causes_, {});
    const std::size_t bytes = std::exchange(cause_bytes_, 0);
    const bool quiet = std::exchange(quiet_, quiet_ || !keeps);
    Check(schema, value, nullptr);
    quiet_ = quiet;
    cause_bytes_ = bytes;
    return std::exchange(causes_, std::move(kept));
  }

  // Returns how many schemas the value satisfies; `first` receives the causes of the first one.
  std::size_t Matching(const std::vector<SchemaNode>& schemas, const Value& value,
                       std::vector<StatusCause>& first) {
    std::size_t matching = 0;
    for (const SchemaNode& schema : schemas) {
      if (Try(schema, value, /*keeps=*/false).empty()) ++matching;
    }
    if (matching == 0 && !quiet_) first = Try(schemas.front(), value, /*keeps=*/true);
    return matching;
  }

  void Append(std::vector<StatusCause> causes) {
    for (StatusCause& cause : causes) Note(std::move(cause));
  }

  void CheckText(const SchemaNode& schema, std::string_view text, const Value& value) {
    if (schema.max_length && LengthOf(text) > *schema.max_length) {
      Note({.reason = "FieldValueTooLong",
            .message =
                "Too long: may not be more than " + Plural(*schema.max_length, "byte", "bytes"),
            .field = Field()});
    } else if (schema.min_length && LengthOf(text) < *schema.min_length) {
      Invalid(ValueText(value),
              "be at least " + std::to_string(*schema.min_length) + " chars long");
    } else if (schema.pattern != nullptr && !schema.pattern->Matches(text)) {
      Invalid(ValueText(value), "match '" + schema.pattern->text() + "'");
    }
    if (!schema.format.empty() && !internal::cel::TextHasFormat(schema.format, text)) {
      WrongType(schema.format, ValueText(value));
    }
  }

  void CheckNumber(const SchemaNode& schema, const Value& value) {
    const double number = value.AsDouble().value_or(0);
    const bool whole = schema.type != SchemaType::kInteger || IsInteger(value);
    if (!whole || !FitsFormat(schema, number)) DoesNotFit("Checked", schema);
    CheckBound(schema, value, schema.multiple_of, {"MultipleOf", "be a multiple of "}, IsMultiple);
    const bool above = schema.exclusive_minimum;
    CheckBound(schema, value, schema.minimum,
               {"Minimum boundary", above ? "be greater than " : "be greater than or equal to "},
               [above](double n, double limit) { return above ? n > limit : n >= limit; });
    const bool below = schema.exclusive_maximum;
    CheckBound(schema, value, schema.maximum,
               {"Maximum boundary", below ? "be less than " : "be less than or equal to "},
               [below](double n, double limit) { return below ? n < limit : n <= limit; });
  }

  // How causes name a bound, and what a value should do.
  struct BoundWords {
    std::string_view name;
    std::string_view should;
  };

  // As on a real server, whole numbers are compared with truncated bounds. A bound that does not
  // fit the schema's type refuses every value, and is compared as a floating-point number besides.
  template <class Holds>
  void CheckBound(const SchemaNode& schema, const Value& value, const std::optional<double>& limit,
                  const BoundWords& words, const Holds& holds) {
    if (!limit) return;
    const double number = value.AsDouble().value_or(0);
    if (!Fits(schema, *limit)) {
      DoesNotFit(words.name, schema);
      if (!holds(number, *limit)) {
        Invalid(FloatText(number), std::string(words.should) + FloatText(*limit));
      }
      return;
    }
    const bool truncates = value.is_integer() && &limit != &schema.multiple_of;
    if (!holds(number, truncates ? std::trunc(*limit) : *limit)) {
      Invalid(ValueText(value), std::string(words.should) + NumberText(*limit));
    }
  }

  static bool Fits(const SchemaNode& schema, double number) {
    constexpr double kBeyond = 9223372036854775808.0;  // 2^63
    if (schema.type == SchemaType::kInteger &&
        (number != std::trunc(number) || std::abs(number) >= kBeyond)) {
      return false;
    }
    return FitsFormat(schema, number);
  }

  static bool FitsFormat(const SchemaNode& schema, double number) {
    if (schema.type == SchemaType::kInteger && schema.format == "int32") {
      return std::abs(number) <= 0x7fffffff || number == -0x80000000LL;
    }
    return schema.type != SchemaType::kNumber || schema.format != "float" ||
           std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max());
  }

  void DoesNotFit(std::string_view what, const SchemaNode& schema) {
    const bool known = internal::cel::IsKnownFormat(schema.format);
    Unplaced(std::string(what) + " value must be of type " +
             (schema.type == SchemaType::kInteger ? "integer" : "number") +
             (known ? " with format " + schema.format : " (default format)") + " in " + path_);
  }

  void CheckEnumeration(const SchemaNode& schema, const Value& value) {
    if (schema.enumerated.contains(EnumerationText(value))) return;
    // The text is as long as the schema, so it is only made if it is needed.
    if (quiet_) return Note({});
    std::string texts;
    for (const Value& each : schema.enumeration) {
      texts += (texts.empty() ? "" : ", ") +
               GoQuoted(each.is_string() ? each.StringOrEmpty() : ValueText(each));
    }
    Note({.reason = "FieldValueNotSupported",
          .message = "Unsupported value: " + ValueText(value) + ": supported values: " + texts,
          .field = Field()});
  }

  void CheckArray(const SchemaNode& schema, const Value& value, const Value* old) {
    const auto size = static_cast<std::int64_t>(value.size());
    EachChild(schema, value, old,
              [this](const SchemaNode& child, const Value& item, const Value* before) {
                Check(child, item, before);
              });
    if (schema.min_items && size < *schema.min_items) {
      Invalid(std::to_string(size),
              "have at least " + std::to_string(*schema.min_items) + " items");
    }
    if (schema.max_items && size > *schema.max_items) TooMany(size, *schema.max_items);
  }

  void TooMany(std::int64_t size, std::int64_t limit) {
    Note({.reason = "FieldValueTooMany",
          .message = "Too many: " + std::to_string(size) + ": must have at most " +
                     Plural(limit, "item", "items"),
          .field = Field()});
  }

  void CheckObject(const SchemaNode& schema, const Value& value, const Value* old) {
    const auto size = static_cast<std::int64_t>(value.size());
    if (schema.min_properties && size < *schema.min_properties) {
      Invalid(std::to_string(size),
              "have at least " + std::to_string(*schema.min_properties) + " properties");
    }
    if (schema.max_properties && size > *schema.max_properties) {
      TooMany(size, *schema.max_properties);
    }
    if (schema.no_additional) {
      for (const auto& [name, member] : value.members()) {
        if (schema.FindProperty(name) != nullptr) continue;
        if (Full()) return;
        Note(InvalidValue(Field(), GoQuoted(name),
                          path_ + "." + name + " in body is a forbidden property"));
      }
    }
    EachChild(schema, value, old,
              [this](const SchemaNode& child, const Value& member, const Value* before) {
                Check(child, member, before);
              });
    for (const std::string& name : schema.required) {
      if (value.contains(name)) continue;
      if (Full()) return;
      const std::size_t length = Enter(name);
      Note(Required(Field()));
      path_.resize(length);
    }
  }

  // Calls `visit` for members and items known to the schema, with their paths and their old values,
  // if these can be determined.
  template <class Visit>
  void EachChild(const SchemaNode& schema, const Value& value, const Value* old,
                 const Visit& visit) {
    for (const auto& [name, member] : value.members()) {
      const SchemaNode* const child = schema.FindMember(name);
      if (child == nullptr) continue;
      const std::size_t length =
          brackets_ && schema.FindProperty(name) == nullptr ? EnterKey(name) : Enter(name);
      visit(*child, member, old == nullptr ? nullptr : old->Find(name));
      path_.resize(length);
    }
    if (schema.items == nullptr) return;
    // Items of a list with keys can be matched with old ones; items of other lists cannot.
    CorrelatedItems before;
    if (old != nullptr && schema.list_type == ListType::kMap) before = Correlate(schema, *old);
    for (std::size_t i = 0; i < value.items().size(); ++i) {
      const std::size_t length = path_.size();
      path_ += '[' + std::to_string(i) + ']';
      const auto key = before.empty() ? std::nullopt : CorrelationKey(schema, value[i]);
      const auto found = key ? before.find(*key) : before.end();
      visit(*schema.items, value[i], found == before.end() ? nullptr : found->second);
      path_.resize(length);
    }
  }

  // Returns the identity of an item in a set or a list with keys.
  static std::string KeyOf(const SchemaNode& schema, const Value& item) {
    if (schema.list_type != ListType::kMap) return ValueText(item);
    Value key = Value::MakeObject();
    for (const std::string& name : schema.map_keys) {
      if (const Value* part = item.Find(name)) key.Set(name, *part);
    }
    return ValueText(key);
  }

  std::size_t Enter(std::string_view name) {
    const std::size_t length = path_.size();
    if (!path_.empty()) path_ += '.';
    path_ += name;
    return length;
  }

  std::size_t EnterKey(std::string_view name) {
    const std::size_t length = path_.size();
    path_.append("[").append(name).append("]");
    return length;
  }

  void CheckKeys(const SchemaNode& schema, const Value& value) {
    std::unordered_set<std::string> seen;
    std::unordered_set<std::string> reported;
    if (schema.list_type == ListType::kMap) {
      const json::Array& items = value.items();
      const auto wrong = std::ranges::find_if(
          items, [](const Value& item) { return !item.is_object() && !item.is_null(); });
      if (wrong != items.end()) {
        return Note(InvalidValue(Field() + "[" + std::to_string(wrong - items.begin()) + "]",
                                 ValueText(*wrong),
                                 "must be an object for an array of list-type map"));
      }
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string text = KeyOf(schema, value[i]);
      if (seen.insert(text).second || !reported.insert(text).second) continue;
      if (Full()) return;
      Note({.reason = "FieldValueDuplicate",
            .message = "Duplicate value: " + text,
            .field = Field() + "[" + std::to_string(i) + "]"});
    }
  }

  void CheckEmbedded(const Value& value) {
    const std::string& api_version = value["apiVersion"].StringOrEmpty();
    const std::string& kind = value["kind"].StringOrEmpty();
    if (!value["apiVersion"].is_string()) {
      Note(Required(Field() + ".apiVersion"));
    } else if (api_version.empty()) {
      Note(InvalidValue(Field() + ".apiVersion", GoQuoted(""), "must not be empty"));
    } else if (std::count(api_version.begin(), api_version.end(), '/') > 1) {
      Note(InvalidValue(Field() + ".apiVersion", GoQuoted(api_version),
                        "unexpected GroupVersion string: " + api_version));
    }
    if (!value["kind"].is_string()) {
      Note(Required(Field() + ".kind"));
    } else if (kind.empty()) {
      Note(InvalidValue(Field() + ".kind", GoQuoted(""), "must not be empty"));
    } else if (!IsDns1035Label(LowerCase(kind))) {
      Note(InvalidValue(
          Field() + ".kind", GoQuoted(kind),
          "may have mixed case, but should otherwise match: " + std::string(kDns1035LabelText)));
    }
    Value metadata = value["metadata"];
    // Embedded objects need no name.
    if (metadata["name"].StringOrEmpty().empty()) metadata.Set("name", "x");
    for (StatusCause& cause : ValidateMetadata({.name = NameRule::kPathSegment}, metadata)) {
      cause.field = Field() + "." + cause.field;
      Note(std::move(cause));
    }
  }

  std::string prefix_;
  bool keys_;
  bool embedded_;
  bool brackets_ = false;  // members of additionalProperties are in brackets in paths
  std::string path_;
  std::vector<StatusCause> causes_;
  std::size_t cause_bytes_ = 0;
  bool quiet_ = false;  // only the existence of causes matters
};

std::vector<StatusCause> WrongKeys(const SchemaNode& schema, const Value& object) {
  Validator validator({}, /*keys=*/true, /*embedded=*/false);
  validator.CheckExtensions(schema, object, /*root=*/true);
  return validator.Take();
}

// Adds invalid keys of lists, unless the old object had invalid keys, too.
void AddWrongKeys(const SchemaNode& schema, const Value& object, const Value* old,
                  std::vector<StatusCause>& causes) {
  if (causes.size() >= kMaxCauses) return;
  std::vector<StatusCause> wrong = WrongKeys(schema, object);
  if (wrong.empty() || (old != nullptr && !WrongKeys(schema, *old).empty())) return;
  std::ranges::move(wrong, std::back_inserter(causes));
  causes.resize(std::min(causes.size(), kMaxCauses));
}

}  // namespace

std::vector<StatusCause> ValidateObject(const SchemaNode& schema, const Value& object,
                                        const Value* old) {
  std::vector<StatusCause> causes;
  for (const Value* before : {static_cast<const Value*>(nullptr), old}) {
    Validator validator({}, /*keys=*/false);
    validator.Check(schema, object, before);
    causes = validator.Take();
    // Comparing with the old object is slow, so it is done only for invalid objects.
    if (causes.empty() || before == old) break;
  }
  Validator embedded({}, /*keys=*/false);
  embedded.CheckExtensions(schema, object, /*root=*/true);
  std::ranges::move(embedded.Take(), std::back_inserter(causes));
  AddWrongKeys(schema, object, old, causes);
  return causes;
}

std::vector<StatusCause> ValidateStatus(const SchemaNode& schema, const Value& object,
                                        const Value& old) {
  const SchemaNode* const part = schema.FindProperty("status");
  std::vector<StatusCause> causes;
  if (part != nullptr && object.contains("status")) {
    for (const Value* before : {static_cast<const Value*>(nullptr), old.Find("status")}) {
      Validator status("status", /*keys=*/false);
      status.Check(*part, object["status"], before);
      causes = status.Take();
      if (causes.empty()) break;
    }
  }
  AddWrongKeys(schema, object, &old, causes);
  return causes;
}

std::vector<StatusCause> ValidateDefault(const SchemaNode& schema, const Value& value,
                                         std::string_view field) {
  Validator validator(field, /*keys=*/false);
  validator.CheckExtensions(schema, value, /*root=*/false);
  validator.Check(schema, value, nullptr);
  return validator.Take();
}

std::string ValueText(const Value& value) {
  if (const auto text = value.AsString()) return GoQuoted(*text);
  const bool integer = value.is_integer() && value.AsInt64().has_value();
  if (value.is_number() && !integer) return NumberText(*value.AsDouble());
  return value.Dump({.sort_keys = true, .escape_html = false});
}

std::string GoQuoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kPlain = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kEscapes = "abfnrtv\\\"";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t at = kPlain.find(c); at != std::string_view::npos) {
      out += '\\';
      out += kEscapes[at];
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace kinformer::apiserver
