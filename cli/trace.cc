#include "cli/trace.h"

#include <algorithm>
#include <utility>

#include "cli/printable.h"

namespace kinformer::cli {
namespace {

constexpr std::string_view kReflector = "reflector";
constexpr std::string_view kDeltaFifo = "delta fifo";
constexpr std::string_view kStore = "store";
constexpr std::string_view kListener = "listener";

std::string Padded(std::string_view text, std::size_t width) {
  std::string out(text);
  out.resize(std::max(out.size(), width), ' ');
  return out;
}

std::string Head(std::string_view stage) { return "  " + Padded(stage, 12) + " "; }

std::string Objects(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " object" : " objects");
}

// Formats "  delta fifo   MODIFIED  default/web-0  resourceVersion 123  depth 1".
std::string TraceLine(const TraceEvent& event) {
  std::string line = Head(event.stage) + Padded(event.type, 8);
  const auto add = [&line](const std::string& text) { line += "  " + Printable(text); };
  const bool whole_list = event.in_list && event.key.empty();
  if (!event.key.empty()) add(std::string(event.key));
  if (whole_list && event.stage == kReflector) add(Objects(event.depth));
  if (!event.resourceVersion.empty()) {
    add("resourceVersion " + std::string(event.resourceVersion));
  }
  if (event.stage == kDeltaFifo) add("depth " + std::to_string(event.depth));
  if (whole_list && event.stage == kStore) add("holds " + Objects(event.depth));
  if (event.stage == kListener) {
    add("handler " + std::string(event.listener) + ", " + std::to_string(event.depth) + " waiting");
  }
  return line;
}

}  // namespace

TracePrinter::TracePrinter(std::function<void(const std::string&)> line) : line_(std::move(line)) {}

void TracePrinter::Note(const TraceEvent& event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!event.in_list) {
    line_(TraceLine(event));
  } else if (event.key.empty()) {
    NoteList(event);
  } else {
    NoteListed(event);
  }
}

// Reports one object of a list.
void TracePrinter::NoteListed(const TraceEvent& event) {
  std::size_t& seen = seen_[std::string(event.stage) + '/' + std::string(event.listener)];
  ++seen;
  if (seen <= kShown) {
    line_(TraceLine(event));
  } else if (seen == kShown + 1 && event.stage == kListener) {
    // A new listener gets the store's content, and there is no event for the end of that.
    More(kListener, listed_ > kShown ? listed_ - kShown : 0);
  }
}

// Reports the list as a whole, after its objects.
void TracePrinter::NoteList(const TraceEvent& event) {
  if (event.stage == kReflector || event.stage == kStore) {
    std::size_t& seen = seen_[std::string(event.stage) + '/'];
    if (seen > kShown) More(event.stage, seen - kShown);
    seen = 0;
  }
  if (event.stage == kStore) listed_ = event.depth;
  line_(TraceLine(event));
}

void TracePrinter::More(std::string_view stage, std::size_t count) {
  line_(Head(stage) + "... and " + (count == 0 ? std::string("more") : Objects(count) + " more"));
}

}  // namespace kinformer::cli
