// Code that would do something else than it seems to must not compile.
// case result_bool_as_condition: Result<bool>
// case result_bool_negated: Result<bool>
// case assign_to_member: \[\] of a json::Value only reads; write value.Set
// case assign_to_item: \[\] of a json::Value only reads; write value.Set
// case assign_deeper: \[\] of a json::Value only reads; write value.Set
// case assign_text: \[\] of a json::Value only reads; write value.Set

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

using kinformer::Result;
using kinformer::json::Value;

Result<bool> Ready();

int Use(Value& value) {
#if defined(result_bool_as_condition)
  if (Ready()) return 1;
#elif defined(result_bool_negated)
  if (!Ready()) return 1;
#elif defined(assign_to_member)
  value["a"] = 1;
#elif defined(assign_to_item)
  value[0] = 1;
#elif defined(assign_deeper)
  value["a"]["b"] = true;
#elif defined(assign_text)
  value["a"] = "text";
#else
  const Result<bool> ready = Ready();
  if (ready.ok() && *ready) return 1;
  value.Set("a", 1);
  value.Ensure("a", "b") = true;
  if (const Value* found = value.Find("a"); found != nullptr) return 2;
#endif
  return static_cast<int>(value["a"]["b"].AsInt64().value_or(0));
}
