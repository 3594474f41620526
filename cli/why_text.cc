#include "cli/why_text.h"

#include <cstdio>

#include "cli/printable.h"

namespace kinformer::cli {
namespace {

std::string Text(const json::Value& value) { return Printable(value.StringOrEmpty()); }

std::string Seconds(const json::Value& value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g s", value.AsDouble().value_or(0));
  return text;
}

void AddMore(std::string& out, const json::Value& left_out) {
  if (left_out.is_null()) return;
  out += "      and " + left_out.NumberText() + " more\n";
}

std::string Write(const json::Value& write) {
  std::string line = Text(write["verb"]) + " " + Text(write["kind"]) + " " + Text(write["object"]);
  if (!write["version"].is_null()) line += " -> " + Text(write["version"]);
  if (!write["seen"].is_null()) {
    line += ", seen after " + Seconds(write["lagSeconds"]);
  } else if (!write["version"].is_null()) {
    line += ", not seen by a controller that keeps it";
  }
  return line;
}

void AddCauses(std::string& out, const json::Value& one) {
  for (const json::Value& cause : one["causes"].items()) {
    out += "      because " + Text(cause["text"]) + "  at " + Text(cause["at"]) + '\n';
  }
  AddMore(out, one["causesLeftOut"]);
}

void AddReconcile(std::string& out, const json::Value& one) {
  out += "    " + Text(one["begun"]) + "  " + Seconds(one["seconds"]) + "  " + Text(one["result"]);
  if (!one["afterSeconds"].is_null()) out += " " + Seconds(one["afterSeconds"]);
  if (!one["error"].is_null()) out += ": " + Text(one["error"]);
  if (!one["id"].StringOrEmpty().empty()) out += "  " + Text(one["id"]);
  out += '\n';
  AddCauses(out, one);
  for (const json::Value& write : one["writes"].items())
    out += "      wrote " + Write(write) + '\n';
  AddMore(out, one["writesLeftOut"]);
}

// Writes "  fight over data.color of ConfigMap default/a with "painter": 7 rounds, the last 3 s
// ago; default/a is held for 7 s".
void AddFight(std::string& out, const json::Value& fight) {
  const std::string type = fight["type"].StringOrEmpty();
  out += "  fight over " + Text(fight["field"]) + " of " + Text(fight["kind"]) + " " +
         Text(fight["object"]);
  std::string others;
  for (const json::Value& other : fight["others"].items()) {
    others += (others.empty() ? "\"" : ", \"") + Text(other) + '"';
  }
  out += " with " + (type == "itself"   ? std::string("itself")
                     : type == "server" ? std::string("the server")
                     : others.empty()   ? std::string("another writer")
                                        : others);
  out += ": " + fight["rounds"].NumberText() + " rounds, the last " + Seconds(fight["agoSeconds"]) +
         " ago";
  if (!fight["underWay"].AsBool().value_or(false)) {
    out += "; it has ended";
  } else if (fight["heldSeconds"].AsDouble().value_or(0) > 0) {
    out += "; " + Text(fight["request"]) + " is held for " + Seconds(fight["heldSeconds"]);
  }
  out += '\n';
}

void AddWaiting(std::string& out, const json::Value& waiting) {
  out += "    waits";
  if (!waiting["since"].is_null()) {
    out += " since " + Text(waiting["since"]) + "  " + Seconds(waiting["seconds"]);
  }
  out += "  " + Text(waiting["state"]);
  if (!waiting["dueInSeconds"].is_null()) out += ", due in " + Seconds(waiting["dueInSeconds"]);
  out += ": " + Text(waiting["why"]);
  out += '\n';
  if (!waiting["error"].is_null()) out += "      last error: " + Text(waiting["error"]) + '\n';
  AddCauses(out, waiting);
}

}  // namespace

std::string WhyText(const json::Value& answer) {
  std::string out;
  for (const json::Value& controller : answer["controllers"].items()) {
    out += "controller " + Text(controller["controller"]) + '\n';
    for (const json::Value& request : controller["requests"].items()) {
      out += "  request " + Text(request["request"]) + '\n';
      for (const json::Value& one : request["reconciles"].items()) AddReconcile(out, one);
      if (!request["waiting"].is_null()) AddWaiting(out, request["waiting"]);
    }
    for (const json::Value& fight : controller["fights"].items()) AddFight(out, fight);
  }
  return out;
}

}  // namespace kinformer::cli
