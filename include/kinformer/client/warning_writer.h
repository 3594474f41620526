// kinformer/client/warning_writer.h
//
// NewWarningWriter: writes the server's warnings for people, as kubectl does.
//
//   const auto warnings = NewWarningWriter(std::cerr, {.deduplicate = true});
//   Client client = Client::NewForConfig(config, {.warning_handler = warnings}).OrExit();

#ifndef KINFORMER_CLIENT_WARNING_WRITER_H_
#define KINFORMER_CLIENT_WARNING_WRITER_H_

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace kinformer {

// Counterpart: rest.WarningWriterOptions.
struct WarningWriterOptions {
  // Writes each text once. A client tells of each text once in any case: this is for a writer that
  // several clients share.
  bool deduplicate{false};
  bool color{false};  // begins each line in bold yellow, for a terminal
};

// Returns a function for ClientOptions::warning_handler that writes each warning as a line,
// "Warning: v1 Endpoints is deprecated", to `out`: a std::ostream, or anything that takes a
// std::string by <<. `out` must outlive the clients that have the function. Thread-safe; copies
// share what they have written. It runs on the loop, which waits as long as `out` blocks.
// Counterpart: rest.NewWarningWriter.
template <class Stream>
std::function<void(std::string_view text)> NewWarningWriter(Stream& out,
                                                            WarningWriterOptions options = {}) {
  struct State {
    std::mutex mutex;
    std::set<std::string, std::less<>> written;
  };
  return [&out, options, state = std::make_shared<State>()](std::string_view text) {
    if (text.empty()) return;
    const std::string head = options.color ? "\x1b[33;1mWarning:\x1b[0m " : "Warning: ";
    const std::string line = head + std::string(text) + "\n";
    const std::lock_guard lock(state->mutex);
    if (options.deduplicate && !state->written.emplace(text).second) return;
    out << line;
  };
}

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_WARNING_WRITER_H_
