// object/transcode/json_out.h
//
// Outputs of a decoder that visits an object in the order of its JSON: TextOut writes text,
// ValueOut fills a document in memory. Both take the same calls: BeginObject, then Name or Key and
// a value for each member, EndObject; lists use Element in the same way.
//
// Made on the stack for one object; the targets they write to must outlive them. Not thread-safe,
// do not block, and do not return errors; ValueOut has failed().

#ifndef KINFORMER_OBJECT_TRANSCODE_JSON_OUT_H_
#define KINFORMER_OBJECT_TRANSCODE_JSON_OUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "object/values/text_forms.h"
#include "wire/json_text.h"

namespace kinformer::internal {

// Appends JSON text.
class TextOut {
 public:
  explicit TextOut(std::string& out) : out_(out) {}

  void BeginObject(std::string_view head) {
    out_.push_back('{');
    out_ += head;
  }
  void EndObject() { out_.push_back('}'); }
  void BeginList() { out_.push_back('['); }
  void EndList() { out_.push_back(']'); }
  // Call it before each value of an object or a list.
  void Name(std::string_view plain, bool& first) {
    if (!std::exchange(first, false)) out_.push_back(',');
    out_.push_back('"');
    out_ += plain;
    out_ += "\":";
  }
  void Key(std::string_view key, bool& first) {
    if (!std::exchange(first, false)) out_.push_back(',');
    json::AppendQuoted(out_, key);
    out_.push_back(':');
  }
  void Element(bool& first) {
    if (!std::exchange(first, false)) out_.push_back(',');
  }

  void Null() { out_ += "null"; }
  void Bool(bool value) { out_ += value ? "true" : "false"; }
  void Integer(std::int64_t value) { out_ += std::to_string(value); }
  void Double(double value) { out_ += json::DoubleText(value); }
  void String(std::string_view text) { json::AppendQuoted(out_, text); }
  // Writes a string. `append` appends its content, which must not need escapes.
  template <class F>
  void Plain(const F& append) {
    out_.push_back('"');
    append(out_);
    out_.push_back('"');
  }
  // `json` must be valid JSON.
  void Raw(std::string_view json) { AppendCompactJson(json, out_); }
  // `"name":value`
  void RawMember(std::string_view member, std::string_view, bool& first) {
    if (!std::exchange(first, false)) out_.push_back(',');
    AppendCompactJson(member, out_);
  }
  // Runs `write` and discards everything it wrote. Returns its result.
  template <class F>
  bool Discarded(const F& write) {
    const std::size_t written = out_.size();
    const bool ok = write();
    out_.resize(written);
    return ok;
  }

 private:
  std::string& out_;
};

// Fills a document. The keys of one object are distinct.
class ValueOut {
 public:
  ValueOut(json::Value& root, std::size_t max_depth) : slot_(&root), max_depth_(max_depth) {}

  void BeginObject(std::string_view) {
    slot_->EnsureObject();
    Open();
  }
  void EndObject() { open_.pop_back(); }
  void BeginList() {
    slot_->EnsureArray();
    Open();
  }
  void EndList() { open_.pop_back(); }
  void Name(std::string_view name, bool&) { Add(name); }
  void Key(std::string_view key, bool&) {
    if (!mended_ && json::FirstInvalidUtf8(key) == key.size()) return Add(key);
    // After mending, two keys may be equal, so from now on each key is looked up.
    mended_ = true;
    std::string mended;
    AppendMended(key, mended);
    slot_ = &open_.back()->Ensure(mended);
    *slot_ = json::Value();
  }
  void Element(bool&) { slot_ = &open_.back()->EnsureArray().emplace_back(); }

  void Null() { *slot_ = json::Value(); }
  void Bool(bool value) { *slot_ = value; }
  void Integer(std::int64_t value) { *slot_ = value; }
  void Double(double value) { *slot_ = json::Value::MakeNumber(json::DoubleText(value)); }
  void String(std::string_view text) { AppendMended(text, slot_->EnsureString()); }
  template <class F>
  void Plain(const F& append) {
    append(slot_->EnsureString());
  }
  void Raw(std::string_view json) { *slot_ = Parse(json, max_depth_ - Depth()); }
  void RawMember(std::string_view member, std::string_view name, bool&) {
    const json::Value object = Parse("{" + std::string(member) + "}", max_depth_ + 1 - Depth());
    open_.back()->Set(name, object[name]);
  }
  template <class F>
  bool Discarded(const F& write) {
    json::Value scratch;
    json::Value* const slot = std::exchange(slot_, &scratch);
    const bool ok = write();
    slot_ = slot;
    return ok;
  }

  // True after objects and lists were nested too deeply or embedded JSON could not be parsed. The
  // document must not be used then.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  void Open() {
    open_.push_back(slot_);
    failed_ = failed_ || open_.size() > max_depth_;
  }
  [[nodiscard]] std::size_t Depth() const { return std::min(open_.size(), max_depth_); }
  json::Value Parse(std::string_view json, std::size_t max_depth) {
    std::string compact;
    AppendCompactJson(json, compact);
    Result<json::Value> value = json::Parse(compact, {.max_depth = max_depth});
    failed_ = failed_ || !value.ok();
    return std::move(value).value_or(json::Value());
  }
  // Replaces each invalid UTF-8 byte by U+FFFD, as writing and parsing JSON would.
  static void AppendMended(std::string_view text, std::string& out) {
    while (!text.empty()) {
      const std::size_t valid = json::FirstInvalidUtf8(text);
      out.append(text.substr(0, valid));
      text.remove_prefix(valid);
      if (text.empty()) return;
      out.append("\xef\xbf\xbd");
      text.remove_prefix(1);
    }
  }
  void Add(std::string_view key) {
    json::Object& object = open_.back()->EnsureObject();
    if (object.empty()) object.Reserve(kUsualMembers);
    slot_ = &object.Add(std::string(key), json::Value());
  }

  static constexpr std::size_t kUsualMembers = 4;
  json::Value* slot_;                 // target of the next value
  std::vector<json::Value*> open_{};  // objects and lists
  std::size_t max_depth_;
  bool failed_ = false;
  bool mended_ = false;  // some key was mended
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_JSON_OUT_H_
