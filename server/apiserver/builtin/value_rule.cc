#include "apiserver/builtin/value_rule.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <unordered_set>
#include <utility>

#include "apiserver/builtin/table_cells.h"
#include "apiserver/errors/status.h"
#include "base/text/number_in.h"
#include "cel/net.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldKind;
using internal::cel::RegularExpression;

std::string_view Bare(std::string_view member) {
  return member.substr(0, member.find_first_of("[{"));
}

// In the text of a rule: the whole member, of which there is one cause.
constexpr std::string_view kWhole = "%*";

}  // namespace

ValueRule::ValueRule(const internal::MessageDescriptor& message, const ValueRow& row)
    : field_(FindJsonMember(message, Bare(row.member))), row_(&row) {
  if (row.member.ends_with("[]")) part_ = Part::kItems;
  if (row.member.ends_with("{}")) part_ = Part::kValues;
  if (row.member.ends_with("{key}")) part_ = Part::kKeys;
  constexpr auto kKinds =
      std::to_array<std::pair<std::string_view, Kind>>({{"enum", Kind::kEnum},
                                                        {"least", Kind::kLeast},
                                                        {"most", Kind::kMost},
                                                        {"length", Kind::kLength},
                                                        {"match", Kind::kMatch},
                                                        {"never", Kind::kNever},
                                                        {"ip", Kind::kIp},
                                                        {"cidr", Kind::kCidr},
                                                        {"unique", Kind::kUnique}});
  std::string_view rule = row.rule;
  may_be_empty_ = rule.ends_with('?');
  if (may_be_empty_) rule.remove_suffix(1);
  kind_ = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& kind) {
            return kind.first == rule;
          })->second;
  if (kind_ == Kind::kEnum) values_ = WordsOf(row.argument);
  if (kind_ == Kind::kMatch || kind_ == Kind::kNever) {
    const std::string text(row.argument);
    pattern_ = *RegularExpression::Compile(kind_ == Kind::kMatch ? "^(?:" + text + ")$" : text);
  } else if (kind_ == Kind::kLeast || kind_ == Kind::kMost || kind_ == Kind::kLength) {
    if (field_->kind == FieldKind::kQuantity) {
      quantity_ = *resource::Quantity::Parse(row.argument);
    } else {
      number_ = *internal::base::NumberIn(row.argument);
    }
  }
}

bool ValueRule::IsBrokenByText(std::string_view text) const {
  if (text.empty() && may_be_empty_) return false;
  switch (kind_) {
    case Kind::kEnum:
      return std::find(values_.begin(), values_.end(), text) == values_.end();
    case Kind::kLength:
      return text.size() > static_cast<std::size_t>(number_);
    case Kind::kMatch:
      return !pattern_->Matches(text);
    case Kind::kNever:
      return pattern_->Matches(text);
    case Kind::kIp:
      return !internal::cel::IpIn(text);
    case Kind::kCidr:
      return !internal::cel::CidrIn(text);
    case Kind::kLeast:
    case Kind::kMost:
    case Kind::kUnique:
      break;
  }
  return false;
}

bool ValueRule::IsBroken(const json::Value& value) const {
  if (kind_ != Kind::kLeast && kind_ != Kind::kMost) {
    return value.is_string() && IsBrokenByText(value.StringOrEmpty());
  }
  if (field_->kind == FieldKind::kQuantity) {
    const auto quantity =
        resource::Quantity::Parse(value.is_string() ? value.StringOrEmpty() : value.Dump());
    if (!quantity) return false;
    return kind_ == Kind::kLeast ? *quantity < quantity_ : *quantity > quantity_;
  }
  const std::optional<std::int64_t> number = value.is_string() ? std::nullopt : value.AsInt64();
  return number && (kind_ == Kind::kLeast ? *number < number_ : *number > number_);
}

void ValueRule::Add(const json::Value& value, const FieldPlace& place, std::string_view index,
                    std::vector<StatusCause>& causes) const {
  std::string field(row_->field);
  if (part_ != Part::kValue) {
    for (const std::string_view wild : {"[*]", "[key]"}) {
      const std::size_t at = field.find(wild);
      if (at != std::string::npos) field.replace(at + 1, wild.size() - 2, index);
    }
  }
  std::string text(row_->text);
  if (const std::size_t at = text.find('%'); at != std::string::npos) {
    const bool quoted = at > 0 && text[at - 1] == '"';
    const std::string shown =
        quoted && value.is_string() ? value.StringOrEmpty() : value.Dump({.sort_keys = true});
    text.replace(at, text.compare(at, kWhole.size(), kWhole) == 0 ? kWhole.size() : 1, shown);
  }
  causes.push_back({.reason = std::string(row_->reason),
                    .message = std::move(text),
                    .field = place.FieldAt(field)});
}

void ValueRule::CheckUnique(const json::Value& items, const FieldPlace& place,
                            std::vector<StatusCause>& causes) const {
  std::unordered_set<std::string_view> seen;
  std::size_t index = 0;
  for (const json::Value& item : items.items()) {
    const json::Value& value = row_->argument.empty() ? item : item[row_->argument];
    const std::string at = std::to_string(index++);
    if (!value.is_string() || value.StringOrEmpty().empty()) continue;
    if (!seen.insert(value.StringOrEmpty()).second) Add(value, place, at, causes);
    if (AreEnough(causes)) return;
  }
}

void ValueRule::Check(const json::Value& value, const FieldPlace& place,
                      std::vector<StatusCause>& causes) const {
  if (IsAbsentValue(value, *field_) || AreEnough(causes)) return;
  if (kind_ == Kind::kUnique) return CheckUnique(value, place, causes);
  switch (part_) {
    case Part::kValue:
      if (IsBroken(value)) Add(value, place, {}, causes);
      return;
    case Part::kItems:
      for (std::size_t i = 0; i < value.items().size() && !AreEnough(causes); ++i) {
        const json::Value& item = value.items()[i];
        if (!IsBroken(item)) continue;
        if (row_->text.find(kWhole) != std::string_view::npos) return Add(value, place, {}, causes);
        Add(item, place, std::to_string(i), causes);
      }
      return;
    case Part::kValues:
    case Part::kKeys:
      for (const auto& [key, member] : value.members()) {
        if (AreEnough(causes)) return;
        const json::Value name(key);
        const json::Value& tested = part_ == Part::kKeys ? name : member;
        if (IsBroken(tested)) Add(tested, place, key, causes);
      }
      return;
  }
}

}  // namespace kinformer::apiserver
