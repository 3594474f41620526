#include "cel/signatures.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "cel/functions.h"
#include "cel/named_format.h"

namespace kinformer::internal::cel {
namespace {

// NAME: forms, each "(parameters) result"; a form that begins with '.' is called on its first
// parameter. A and B stand for any type.
struct Row {
  std::string_view name;
  std::string_view forms;
};

constexpr Row kRows[] = {
    // ---- Operators
    {"_==_", "(A,A)bool"},
    {"_!=_", "(A,A)bool"},
    {"_+_",
     "(bytes,bytes)bytes (double,double)double (duration,duration)duration "
     "(duration,timestamp)timestamp (timestamp,duration)timestamp (int,int)int "
     "(list<A>,list<A>)list<A> (string,string)string (uint,uint)uint"},
    {"_-_",
     "(double,double)double (duration,duration)duration (int,int)int "
     "(timestamp,duration)timestamp (timestamp,timestamp)duration (uint,uint)uint"},
    {"_*_", "(double,double)double (int,int)int (uint,uint)uint"},
    {"_/_", "(double,double)double (int,int)int (uint,uint)uint"},
    {"_%_", "(int,int)int (uint,uint)uint"},
    {"-_", "(double)double (int)int"},
    {"!_", "(bool)bool"},
    {"_<_", "<"},
    {"_<=_", "<"},
    {"_>_", "<"},
    {"_>=_", "<"},
    {"_[_]",
     "(list<A>,int)A (map<A,B>,A)B (optional<list<A>>,int)optional<A> "
     "(optional<map<A,B>>,A)optional<B>"},
    {"_[?_]",
     "(list<A>,int)optional<A> (optional<list<A>>,int)optional<A> (map<A,B>,A)optional<B> "
     "(optional<map<A,B>>,A)optional<B>"},
    {"@in", "(A,list<A>)bool (A,map<A,B>)bool"},
    // ---- The language's own
    {"size",
     "(bytes)int .(bytes)int (list<A>)int .(list<A>)int (map<A,B>)int .(map<A,B>)int (string)int "
     ".(string)int"},
    {"contains", ".(string,string)bool"},
    {"startsWith", ".(string,string)bool"},
    {"endsWith", ".(string,string)bool"},
    {"matches", "(string,string)bool .(string,string)bool"},
    {"type", "(A)type<A>"},
    {"dyn", "(A)dyn"},
    {"bool", "(bool)bool (string)bool"},
    {"int", "(int)int (double)int (duration)int (string)int (timestamp)int (uint)int"},
    {"uint", "(uint)uint (double)uint (int)uint (string)uint"},
    {"double", "(double)double (int)double (string)double (uint)double"},
    {"string",
     "(string)string (bool)string (bytes)string (double)string (duration)string (int)string "
     "(timestamp)string (uint)string (ip)string (cidr)string"},
    {"bytes", "(bytes)bytes (string)bytes"},
    {"timestamp", "(timestamp)timestamp (int)timestamp (string)timestamp"},
    {"duration", "(duration)duration (string)duration"},
    {"getFullYear", ".(timestamp)int .(timestamp,string)int"},
    {"getMonth", ".(timestamp)int .(timestamp,string)int"},
    {"getDate", ".(timestamp)int .(timestamp,string)int"},
    {"getDayOfMonth", ".(timestamp)int .(timestamp,string)int"},
    {"getDayOfWeek", ".(timestamp)int .(timestamp,string)int"},
    {"getDayOfYear", ".(timestamp)int .(timestamp,string)int"},
    {"getHours", ".(timestamp)int .(timestamp,string)int .(duration)int"},
    {"getMinutes", ".(timestamp)int .(timestamp,string)int .(duration)int"},
    {"getSeconds", ".(timestamp)int .(timestamp,string)int .(duration)int"},
    {"getMilliseconds", ".(timestamp)int .(timestamp,string)int .(duration)int"},
    // ---- Optional values
    {"optional.of", "(A)optional<A>"},
    {"optional.none", "()optional<A>"},
    {"optional.ofNonZeroValue", "(A)optional<A>"},
    {"value", ".(optional<A>)A"},
    {"hasValue", ".(optional<A>)bool"},
    {"or", ".(optional<A>,optional<A>)optional<A>"},
    {"orValue", ".(optional<A>,A)A"},
    {"optional.unwrap", "(list<optional<A>>)list<A>"},
    {"unwrapOpt", ".(list<optional<A>>)list<A>"},
    // ---- Texts
    {"charAt", ".(string,int)string"},
    {"format", ".(string,list<dyn>)string"},
    {"indexOf", ".(string,string)int .(string,string,int)int .(list<A>,A)int"},
    {"lastIndexOf", ".(string,string)int .(string,string,int)int .(list<A>,A)int"},
    {"join", ".(list<string>)string .(list<string>,string)string"},
    {"lowerAscii", ".(string)string"},
    {"upperAscii", ".(string)string"},
    {"replace", ".(string,string,string)string .(string,string,string,int)string"},
    {"split", ".(string,string)list<string> .(string,string,int)list<string>"},
    {"substring", ".(string,int)string .(string,int,int)string"},
    {"trim", ".(string)string"},
    {"strings.quote", "(string)string"},
    {"find", ".(string,string)string"},
    {"findAll", ".(string,string)list<string> .(string,string,int)list<string>"},
    // ---- Lists and sets
    {"isSorted",
     ".(list<int>)bool .(list<uint>)bool .(list<double>)bool .(list<bool>)bool "
     ".(list<duration>)bool .(list<timestamp>)bool .(list<string>)bool .(list<bytes>)bool"},
    {"sum", ".(list<int>)int .(list<uint>)uint .(list<double>)double .(list<duration>)duration"},
    {"min",
     ".(list<int>)int .(list<uint>)uint .(list<double>)double .(list<bool>)bool "
     ".(list<duration>)duration .(list<timestamp>)timestamp .(list<string>)string "
     ".(list<bytes>)bytes"},
    {"max",
     ".(list<int>)int .(list<uint>)uint .(list<double>)double .(list<bool>)bool "
     ".(list<duration>)duration .(list<timestamp>)timestamp .(list<string>)string "
     ".(list<bytes>)bytes"},
    {"includes", ".(dyn,dyn)bool"},
    {"slice", ".(list<A>,int,int)list<A>"},
    {"flatten", ".(list<list<A>>)list<A> .(list<dyn>,int)list<dyn>"},
    {"sort",
     ".(list<int>)list<int> .(list<uint>)list<uint> .(list<double>)list<double> "
     ".(list<bool>)list<bool> "
     ".(list<duration>)list<duration> .(list<timestamp>)list<timestamp> "
     ".(list<string>)list<string> .(list<bytes>)list<bytes>"},
    {"distinct", ".(list<A>)list<A>"},
    {"reverse", ".(list<A>)list<A>"},
    {"lists.range", "(int)list<int>"},
    {"first", ".(list<A>)optional<A>"},
    {"last", ".(list<A>)optional<A>"},
    {"sets.contains", "(list<A>,list<A>)bool"},
    {"sets.equivalent", "(list<A>,list<A>)bool"},
    {"sets.intersects", "(list<A>,list<A>)bool"},
    // ---- URLs and addresses
    {"url", "(string)url"},
    {"isURL", "(string)bool"},
    {"getScheme", ".(url)string"},
    {"getHost", ".(url)string"},
    {"getHostname", ".(url)string"},
    {"getPort", ".(url)string"},
    {"getEscapedPath", ".(url)string"},
    {"getQuery", ".(url)map<string,list<string>>"},
    {"ip", "(string)ip .(cidr)ip"},
    {"isIP", "(string)bool"},
    {"ip.isCanonical", "(string)bool"},
    {"family", ".(ip)int"},
    {"isUnspecified", ".(ip)bool"},
    {"isLoopback", ".(ip)bool"},
    {"isLinkLocalMulticast", ".(ip)bool"},
    {"isLinkLocalUnicast", ".(ip)bool"},
    {"isGlobalUnicast", ".(ip)bool"},
    {"cidr", "(string)cidr"},
    {"isCIDR", "(string)bool"},
    {"containsIP", ".(cidr,string)bool .(cidr,ip)bool"},
    {"containsCIDR", ".(cidr,string)bool .(cidr,cidr)bool"},
    {"prefixLength", ".(cidr)int"},
    {"masked", ".(cidr)cidr"},
    // ---- Quantities
    {"quantity", "(string)quantity"},
    {"isQuantity", "(string)bool"},
    {"sign", "(quantity)int"},
    {"isInteger", ".(quantity)bool"},
    {"asInteger", ".(quantity)int"},
    {"asApproximateFloat", ".(quantity)double"},
    {"add", ".(quantity,quantity)quantity .(quantity,int)quantity"},
    {"sub", ".(quantity,quantity)quantity .(quantity,int)quantity"},
    {"isGreaterThan", ".(quantity,quantity)bool .(semver,semver)bool"},
    {"isLessThan", ".(quantity,quantity)bool .(semver,semver)bool"},
    {"compareTo", ".(quantity,quantity)int .(semver,semver)int"},
    // ---- Versions
    {"semver", "(string)semver (string,bool)semver"},
    {"isSemver", "(string)bool (string,bool)bool"},
    {"major", ".(semver)int"},
    {"minor", ".(semver)int"},
    {"patch", ".(semver)int"},
    // ---- Formats
    {"format.named", "(string)optional<format>"},
    {"validate", ".(format,string)optional<list<string>>"},
    // ---- Rights
    {"path", ".(authorizer,string)pathcheck"},
    {"group", ".(authorizer,string)groupcheck"},
    {"serviceAccount", ".(authorizer,string,string)authorizer"},
    {"resource", ".(groupcheck,string)resourcecheck"},
    {"subresource", ".(resourcecheck,string)resourcecheck"},
    {"namespace", ".(resourcecheck,string)resourcecheck"},
    {"name", ".(resourcecheck,string)resourcecheck"},
    {"fieldSelector", ".(resourcecheck,string)resourcecheck"},
    {"labelSelector", ".(resourcecheck,string)resourcecheck"},
    {"check", ".(pathcheck,string)decision .(resourcecheck,string)decision"},
    {"allowed", ".(decision)bool"},
    {"reason", ".(decision)string"},
    {"errored", ".(decision)bool"},
    {"error", ".(decision)string"},
    // ---- Patches
    {"jsonpatch.escapeKey", "(string)string"},
};

// The forms of <, which also compares numbers of different types.
constexpr std::string_view kOrder =
    "(bool,bool)bool (int,int)bool (int,double)bool (int,uint)bool (uint,uint)bool "
    "(uint,double)bool (uint,int)bool (double,double)bool (double,int)bool (double,uint)bool "
    "(string,string)bool (bytes,bytes)bool (timestamp,timestamp)bool (duration,duration)bool";

class FormReader {
 public:
  explicit FormReader(std::string_view text) : text_(text) {}

  std::vector<Signature> All() {
    std::vector<Signature> out;
    while (at_ < text_.size()) {
      Signature form;
      form.is_member = Take('.');
      Take('(');
      while (!Take(')')) {
        form.parameters.push_back(OneType(form));
        Take(',');
      }
      form.result = OneType(form);
      out.push_back(std::move(form));
      Take(' ');
    }
    return out;
  }

 private:
  bool Take(char sign) {
    if (at_ >= text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }

  TypePtr OneType(Signature& form) {
    const std::size_t end = text_.find_first_of("<>(), ", at_);
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = std::min(end, text_.size());
    if (name == "A" || name == "B") {
      auto variable = std::make_shared<Type>();
      variable->kind = TypeKind::kVariable;
      variable->variable = name == "A" ? 0 : 1;
      form.variables = std::max(form.variables, variable->variable + 1);
      return variable;
    }
    std::vector<TypePtr> parameters;
    if (Take('<')) {
      while (!Take('>')) {
        parameters.push_back(OneType(form));
        Take(',');
      }
    }
    if (name == "list") return ListOf(parameters[0]);
    if (name == "map") return MapOf(parameters[0], parameters[1]);
    if (name == "optional") return OptionalOf(parameters[0]);
    if (name == "type") return TypeOf(parameters[0]);
    constexpr std::array<std::pair<std::string_view, TypeKind>, 20> kNames = {{
        {"dyn", TypeKind::kDyn},
        {"bool", TypeKind::kBool},
        {"int", TypeKind::kInt},
        {"uint", TypeKind::kUint},
        {"double", TypeKind::kDouble},
        {"string", TypeKind::kString},
        {"bytes", TypeKind::kBytes},
        {"timestamp", TypeKind::kTimestamp},
        {"duration", TypeKind::kDuration},
        {"url", TypeKind::kUrl},
        {"ip", TypeKind::kIp},
        {"cidr", TypeKind::kCidr},
        {"quantity", TypeKind::kQuantity},
        {"authorizer", TypeKind::kAuthorizer},
        {"pathcheck", TypeKind::kPathCheck},
        {"groupcheck", TypeKind::kGroupCheck},
        {"resourcecheck", TypeKind::kResourceCheck},
        {"decision", TypeKind::kDecision},
        {"semver", TypeKind::kSemver},
        {"format", TypeKind::kNamedFormat},
    }};
    const auto found = std::ranges::find(kNames, name, [](const auto& each) { return each.first; });
    return Plain(found == kNames.end() ? TypeKind::kDyn : found->second);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::map<std::string, FunctionFacts, std::less<>> AllFunctions() {
  std::map<std::string, FunctionFacts, std::less<>> all;
  for (const Row& row : kRows) {
    all[std::string(row.name)].signatures = FormReader(row.forms == "<" ? kOrder : row.forms).All();
  }
  for (const NamedFormat& format : NamedFormats()) {
    FunctionFacts& facts = all["format." + std::string(format.name)];
    facts.signatures = FormReader("()format").All();
    facts.function = NamedFormatFunction;
  }
  for (const auto& family : {OperatorFunctions(), ConversionFunctions(), TextFunctions(),
                             ListFunctions(), NetFunctions(), QuantityFunctions(),
                             VersionFunctions(), FormatFunctions(), AccessFunctions()}) {
    for (const FunctionEntry& entry : family) {
      all[std::string(entry.name)].function = entry.function;
    }
  }
  all["jsonpatch.escapeKey"].for_messages = true;
  return all;
}

}  // namespace

const FunctionFacts* FindFunction(std::string_view name) {
  static const auto kAll = AllFunctions();
  const auto found = kAll.find(name);
  return found == kAll.end() ? nullptr : &found->second;
}

TypePtr NamedType(std::string_view name) {
  const TypePtr& any = Plain(TypeKind::kDyn);
  if (name == "list") return ListOf(any);
  if (name == "map") return MapOf(any, any);
  if (name == "optional_type") return OptionalOf(any);
  if (name == "type") return Plain(TypeKind::kType);
  constexpr std::array<std::pair<std::string_view, TypeKind>, 15> kNames = {{
      {"null_type", TypeKind::kNull},
      {"bool", TypeKind::kBool},
      {"int", TypeKind::kInt},
      {"uint", TypeKind::kUint},
      {"double", TypeKind::kDouble},
      {"string", TypeKind::kString},
      {"bytes", TypeKind::kBytes},
      {"google.protobuf.Timestamp", TypeKind::kTimestamp},
      {"google.protobuf.Duration", TypeKind::kDuration},
      {"net.IP", TypeKind::kIp},
      {"net.CIDR", TypeKind::kCidr},
      {"kubernetes.URL", TypeKind::kUrl},
      {"kubernetes.Quantity", TypeKind::kQuantity},
      {"kubernetes.Semver", TypeKind::kSemver},
      {"kubernetes.NamedFormat", TypeKind::kNamedFormat},
  }};
  const auto found = std::ranges::find(kNames, name, [](const auto& each) { return each.first; });
  return found == kNames.end() ? nullptr : Plain(found->second);
}

}  // namespace kinformer::internal::cel
