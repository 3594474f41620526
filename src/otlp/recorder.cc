#include "otlp/recorder.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kinformer::internal::otlp {
namespace {

// Returns the text, or its beginning, which does not end inside a character of UTF-8.
std::string Bounded(std::string_view text) {
  if (text.size() <= Recorder::kLongestText) return std::string(text);
  std::size_t size = Recorder::kLongestText;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return std::string(text.substr(0, size));
}

struct Owned {
  std::variant<std::string, std::int64_t, double, bool> operator()(std::string_view text) const {
    return Bounded(text);
  }
  template <class T>
  std::variant<std::string, std::int64_t, double, bool> operator()(T value) const {
    return value;
  }
};

OwnedAttribute OwnedOf(const SpanAttribute& attribute) {
  return {std::string(attribute.name), std::visit(Owned(), attribute.value)};
}

void Put(const SpanAttribute& attribute, std::vector<OwnedAttribute>& all, std::size_t& dropped) {
  const auto same = std::ranges::find(all, attribute.name, &OwnedAttribute::name);
  if (same != all.end()) {
    same->value = std::visit(Owned(), attribute.value);
  } else if (all.size() < Recorder::kMost) {
    all.push_back(OwnedOf(attribute));
  } else {
    ++dropped;
  }
}

}  // namespace

Recorder::Recorder(std::shared_ptr<Exporter> exporter, const SpanStart& start, SpanContext context)
    : exporter_(std::move(exporter)), context_(std::move(context)) {
  const base::MutexLock lock(mutex_);
  data_.context = context_;
  data_.name = Bounded(start.name);
  data_.kind = start.kind;
  data_.begun = start.begun;
  if (start.parent != nullptr) data_.parent = *start.parent;
  // Room for what the library adds later, at once.
  data_.attributes.reserve(start.attributes.size() + 4);
  for (const SpanAttribute& attribute : start.attributes) {
    Put(attribute, data_.attributes, data_.dropped_attributes);
  }
  const std::size_t links = std::min(start.links.size(), kMost);
  data_.links.assign(start.links.begin(), start.links.begin() + static_cast<std::ptrdiff_t>(links));
  data_.dropped_links = start.links.size() - links;
}

void Recorder::SetAttribute(const SpanAttribute& attribute) {
  const base::MutexLock lock(mutex_);
  Put(attribute, data_.attributes, data_.dropped_attributes);
}

void Recorder::AddEvent(std::string_view name, WallTime when,
                        std::span<const SpanAttribute> attributes) {
  const base::MutexLock lock(mutex_);
  if (data_.events.size() >= kMost) {
    ++data_.dropped_events;
    return;
  }
  SpanEvent& event = data_.events.emplace_back();
  event.name = Bounded(name);
  event.when = when;
  std::size_t dropped = 0;
  for (const SpanAttribute& attribute : attributes) Put(attribute, event.attributes, dropped);
}

void Recorder::AddLink(const SpanContext& to) {
  const base::MutexLock lock(mutex_);
  if (data_.links.size() < kMost) {
    data_.links.push_back(to);
  } else {
    ++data_.dropped_links;
  }
}

void Recorder::SetError(std::string_view description) {
  const base::MutexLock lock(mutex_);
  data_.error = Bounded(description);
}

void Recorder::End(WallTime when) {
  SpanData ended;
  {
    const base::MutexLock lock(mutex_);
    ended = std::move(data_);
  }
  ended.ended = when;
  exporter_->Add(std::move(ended));
}

}  // namespace kinformer::internal::otlp
