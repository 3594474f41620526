#include "cel/cost_functions.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kinformer::internal::cel {
namespace {

using CostArguments = std::span<const CostArgument>;
using Found = std::optional<CallCost>;

// The pattern of a named format, in bytes.
constexpr double kFormatBytes = 128;
constexpr std::uint64_t kMaxFormatName = 64;

template <std::size_t kCount>
bool IsOneOf(std::string_view name, const std::array<std::string_view, kCount>& names) {
  return std::ranges::find(names, name) != names.end();
}

bool IsText(TypeKind kind) { return kind == TypeKind::kString || kind == TypeKind::kBytes; }

CallCost Traversal(const SizeRange& size, double passes = 1) {
  return {.cost = CostTimes(size.max, passes * kCostOfByte)};
}
CallCost TraversalOf(const SizeRange& size) {
  return {.cost = CostTimes(size.max, kCostOfByte), .result = size};
}

// A call that makes a list, with a cost for each of its items.
CallCost Allocation(double factor, const SizeRange& size) {
  return {.cost = CostSum(CostSum(CostTimes(size.max, factor), 1), kCostOfList), .result = size};
}

// Returns a number that is written in the expression, at least 0.
std::uint64_t Written(const CostArgument& argument, std::uint64_t fallback) {
  if (argument.node == nullptr || argument.node->kind != NodeKind::kLiteral ||
      !argument.node->literal.is(ValueKind::kInt)) {
    return fallback;
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(argument.node->literal.integer(), 0));
}

Found OfLists(std::string_view name, const Signature& form, const CostArgument* target,
              CostArguments a) {
  if (name == "lists.range") return Allocation(1, SizeRange::Fixed(Written(a[0], kMostCost)));
  if (name.starts_with("sets.")) {
    const SizeRange pairs = a[0].size.Times(a[1].size);
    return CallCost{.cost = CostSum(CostTimes(pairs.max, name == "sets.equivalent" ? 2 : 1), 1)};
  }
  if (target == nullptr) return std::nullopt;
  const SizeRange& size = target->size;
  if (name == "slice") {
    return Allocation(1, SizeRange::Fixed(Written(a[1], size.max) - Written(a[0], 0)));
  }
  if (name == "flatten") {
    return Allocation(a.empty() ? 1 : static_cast<double>(Written(a[0], kMostCost)), size);
  }
  if (name == "reverse") return Allocation(1, size);
  if (name == "distinct") return Allocation(2, size.Times(size));
  if (name == "sort") return CostOfSorting(size, form.parameters[0]->parameters[0]->kind);
  return std::nullopt;
}

// Functions that look at each item of a list, or at a text.
Found OfScans(std::string_view name, const CostArgument* target) {
  constexpr std::array<std::string_view, 7> kNames = {"isSorted", "sum",         "max",     "min",
                                                      "indexOf",  "lastIndexOf", "includes"};
  if (target == nullptr || !IsOneOf(name, kNames)) return std::nullopt;
  if (target->type->parameters.empty()) {
    return name == "includes" ? CallCost{.cost = target->size.max} : Traversal(target->size);
  }
  std::uint64_t item = 1;
  if (IsText(target->type->parameters[0]->kind)) {
    item = CostSum(item, CostTimes(target->item_size.max, kCostOfByte));
  }
  return CallCost{.cost = CostProduct(target->size.max, item)};
}

// The size of a text in which parts are replaced.
SizeRange Replaced(const SizeRange& text, const SizeRange& from, const SizeRange& to) {
  SizeRange count{0, 0};
  SizeRange kept{0, 0};
  // Too large a number becomes 2^63, as in Go.
  const auto times = [](std::uint64_t size, std::uint64_t part) {
    const double quotient = std::ceil(static_cast<double>(size) / static_cast<double>(part));
    return quotient >= 0x1p64 ? std::uint64_t{1} << 63 : static_cast<std::uint64_t>(quotient);
  };
  if (from.min == 0) {
    count.max = CostSum(text.max, 1);
    kept.max = text.max;
  } else if (to.max <= from.min) {
    kept.max = text.max;
  } else {
    count.max = times(text.max, from.min);
  }
  if (from.max == 0) {
    count.min = CostSum(text.min, 1);
    kept.min = text.min;
  } else if (from.max <= to.min) {
    kept.min = text.min;
  } else {
    count.min = times(text.min, from.max);
  }
  return count.Times(to).Plus(kept);
}

CallCost OfJoin(const CostArgument& list, CostArguments a) {
  SizeRange size{0, 0};
  if (!list.type->parameters.empty()) size = list.size.Times(list.item_size);
  if (!a.empty()) {
    const auto less = [](std::uint64_t count) { return count == 0 ? 0 : count - 1; };
    size = size.Plus(a[0].size.Times({less(list.size.min), less(list.size.max)}));
  }
  return TraversalOf(size);
}

// A search for a pattern. Empty texts cost something, too.
std::uint64_t OfSearch(const SizeRange& text, const SizeRange& pattern) {
  return CostProduct(CostTimes(CostSum(text.max, 1), kCostOfByte),
                     CostTimes(pattern.max, kCostOfPatternByte));
}

Found OfTexts(std::string_view name, const CostArgument* target, CostArguments a) {
  if (name == "url" || name == "jsonpatch.escapeKey") return TraversalOf(a[0].size);
  if (target == nullptr) return std::nullopt;
  const SizeRange& size = target->size;
  if (IsOneOf(name,
              std::array<std::string_view, 4>{"lowerAscii", "upperAscii", "substring", "trim"})) {
    return TraversalOf(size);
  }
  if (name == "replace") {
    CallCost out = Traversal(size, 2);
    out.result = Replaced(size, a[0].size, a[1].size);
    return out;
  }
  if (name == "split") {
    CallCost out = Traversal(size, 2);
    std::uint64_t most = size.max;
    if (a.size() > 1 && a[1].node != nullptr && a[1].node->kind == NodeKind::kLiteral &&
        a[1].node->literal.is(ValueKind::kInt)) {
      most = static_cast<std::uint64_t>(a[1].node->literal.integer());
    }
    out.result = SizeRange{0, most};
    return out;
  }
  if (name == "join") return OfJoin(*target, a);
  if (name == "find" || name == "findAll") {
    return CallCost{.cost = OfSearch(size, a[0].size), .result = SizeRange{0, size.max}};
  }
  return std::nullopt;
}

Found OfContaining(std::string_view name, const Signature& form, CostArguments a) {
  if (name != "containsIP" && name != "containsCIDR") return std::nullopt;
  constexpr std::uint64_t kAddress = 16;
  std::uint64_t cost = CostTimes(2 * kAddress, kCostOfByte);
  if (name == "containsCIDR") cost += CostTimes(kAddress, kCostOfByte) + 1;
  if (form.parameters[1]->kind == TypeKind::kString) {
    cost = CostSum(cost, CostTimes(a[0].size.max, kCostOfByte));
  }
  return CallCost{.cost = cost};
}

// Functions of Kubernetes' own values.
Found OfValues(std::string_view name, const Signature& form, CostArguments a) {
  constexpr std::array<std::string_view, 28> kCheap = {"masked",
                                                       "prefixLength",
                                                       "family",
                                                       "isUnspecified",
                                                       "isLoopback",
                                                       "isLinkLocalMulticast",
                                                       "isLinkLocalUnicast",
                                                       "isGlobalUnicast",
                                                       "format.named",
                                                       "sign",
                                                       "asInteger",
                                                       "isInteger",
                                                       "asApproximateFloat",
                                                       "isGreaterThan",
                                                       "isLessThan",
                                                       "compareTo",
                                                       "add",
                                                       "sub",
                                                       "major",
                                                       "minor",
                                                       "patch",
                                                       "getScheme",
                                                       "getHostname",
                                                       "getHost",
                                                       "getPort",
                                                       "getEscapedPath",
                                                       "getQuery",
                                                       "allowed"};
  constexpr std::array<std::string_view, 7> kReaders = {
      "cidr", "isIP", "isCIDR", "quantity", "semver", "isQuantity", "isSemver"};
  if (IsOneOf(name, kCheap)) return CallCost{.cost = 1};
  if (IsOneOf(name, kReaders)) return Traversal(a[0].size);
  if (name == "ip") {
    return a.empty() || form.parameters[0]->kind == TypeKind::kCidr ? CallCost{.cost = 1}
                                                                    : Traversal(a[0].size);
  }
  if (name == "ip.isCanonical") return Traversal(a[0].size, 2);
  if (name == "validate") {
    return CallCost{.cost = CostTimes(CostTimes(a[0].size.max, kCostOfByte),
                                      kFormatBytes * kCostOfPatternByte)};
  }
  return OfContaining(name, form, a);
}

Found OfEquality(std::string_view name, CostArguments a) {
  if (name != "_==_" || TypeText(*a[0].type) != TypeText(*a[1].type)) return std::nullopt;
  switch (a[0].type->kind) {
    case TypeKind::kIp:
    case TypeKind::kCidr:
    case TypeKind::kQuantity:
    case TypeKind::kSemver:
      return CallCost{.cost = 1};
    case TypeKind::kNamedFormat:
      return Traversal(SizeRange::Fixed(kMaxFormatName));
    case TypeKind::kUrl:
      return Traversal(a[1].is_sized ? a[1].size : SizeRange::Fixed(1));
    default:
      return std::nullopt;
  }
}

Found OfComparison(std::string_view name, const Signature& form, CostArguments a) {
  const bool equality = name == "_==_" || name == "_!=_";
  const bool order = name == "_<_" || name == "_<=_" || name == "_>_" || name == "_>=_";
  if (!equality && !(order && IsText(form.parameters[0]->kind))) return std::nullopt;
  return CallCost{.cost = CostTimes(std::min(a[0].size.max, a[1].size.max), kCostOfByte)};
}

Found OfAddition(std::string_view name, const Signature& form, CostArguments a) {
  const TypeKind kind = form.parameters.empty() ? TypeKind::kDyn : form.parameters[0]->kind;
  if (name != "_+_" || (kind != TypeKind::kList && !IsText(kind))) return std::nullopt;
  const SizeRange size = a[0].size.Plus(a[1].size);
  if (kind == TypeKind::kList) return CallCost{.cost = 1, .result = size};
  return TraversalOf(size);
}

// Functions of the language.
Found OfLanguage(std::string_view name, const Signature& form, const CostArgument* target,
                 CostArguments a) {
  const TypeKind kind = form.parameters.empty() ? TypeKind::kDyn : form.parameters[0]->kind;
  if (name == "format") return Traversal(target->size);
  if (name == "bytes" && kind == TypeKind::kString) {
    return CallCost{.cost = CostTimes(a[0].size.max, kCostOfByte),
                    .result = SizeRange{a[0].size.min, a[0].size.max * 4}};
  }
  if (name == "string" && kind == TypeKind::kBytes) {
    return CallCost{.cost = CostTimes(a[0].size.max, kCostOfByte),
                    .result = SizeRange{a[0].size.min / 4, a[0].size.max}};
  }
  if (name == "strings.quote") {
    return CallCost{.cost = CostTimes(a[0].size.max, kCostOfByte),
                    .result = SizeRange{a[0].size.min + 2, a[0].size.max * 2 + 2}};
  }
  if (name == "startsWith" || name == "endsWith") return Traversal(a[0].size);
  if (name == "@in" && form.parameters[1]->kind == TypeKind::kList) {
    return CallCost{.cost = a[1].size.max};
  }
  if (name == "matches") {
    return CallCost{.cost = target != nullptr ? OfSearch(target->size, a[0].size)
                                              : OfSearch(a[0].size, a[1].size)};
  }
  if (name == "contains") {
    return CallCost{.cost = CostProduct(CostTimes(target->size.max, kCostOfByte),
                                        CostTimes(a[0].size.max, kCostOfByte))};
  }
  return std::nullopt;
}

}  // namespace

CallCost CostOfSorting(const SizeRange& keys, TypeKind key) {
  return Allocation(IsText(key) ? 2 + kCostOfByte : 2, keys.Times(keys));
}

CallCost CostOfCall(std::string_view name, const Signature& form, const CostArgument* target,
                    std::span<const CostArgument> arguments) {
  if (const Found found = OfLists(name, form, target, arguments)) return *found;
  if (const Found found = OfScans(name, target)) return *found;
  if (const Found found = OfTexts(name, target, arguments)) return *found;
  if (const Found found = OfValues(name, form, arguments)) return *found;
  if (const Found found = OfEquality(name, arguments)) return *found;
  if (const Found found = OfComparison(name, form, arguments)) return *found;
  if (const Found found = OfAddition(name, form, arguments)) return *found;
  if (const Found found = OfLanguage(name, form, target, arguments)) return *found;
  return {.cost = 1};
}

}  // namespace kinformer::internal::cel
