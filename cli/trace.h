// cli/trace.h
//
// TracePrinter: prints the steps of events through an informer as lines of text, for `kinformer
// watch --trace`.

#ifndef KINFORMER_CLI_TRACE_H_
#define KINFORMER_CLI_TRACE_H_

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "kinformer/cache/informer_options.h"

namespace kinformer::cli {

// Prints only the first objects of a list at each stage and counts the others, since ten thousand
// lines would hide the interesting ones. Prints every event of the watch.
//
// Thread-safe: called from the loop and from handlers' threads.
class TracePrinter {
 public:
  static constexpr std::size_t kShown = 10;
  // Calls `line` with each line, without a line break, while holding a lock.
  explicit TracePrinter(std::function<void(const std::string&)> line);
  void Note(const TraceEvent& event);

 private:
  void NoteListed(const TraceEvent& event);
  void NoteList(const TraceEvent& event);
  void More(std::string_view stage, std::size_t count);

  std::mutex mutex_;
  const std::function<void(const std::string&)> line_;
  std::map<std::string, std::size_t, std::less<>>
      seen_;                // objects of the list, by stage and handler
  std::size_t listed_ = 0;  // in the list that was stored last
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_TRACE_H_
