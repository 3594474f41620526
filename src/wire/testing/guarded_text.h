// wire/testing/guarded_text.h
//
// GuardedText: places a text between two inaccessible pages, so that a read past its end or before
// its beginning ends the test, even by a single byte and without a sanitizer.

#ifndef KINFORMER_WIRE_TESTING_GUARDED_TEXT_H_
#define KINFORMER_WIRE_TESTING_GUARDED_TEXT_H_

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace kinformer::testing {

// Has room for one text of at most `most` bytes at a time. Thread-compatible.
class GuardedText {
 public:
  explicit GuardedText(std::size_t most)
      : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))),
        size_((most + page_ - 1) / page_ * page_) {
    void* const all =
        ::mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) std::abort();
    room_ = static_cast<char*>(all) + page_;
    if (::mprotect(room_, size_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~GuardedText() { ::munmap(room_ - page_, size_ + 2 * page_); }
  GuardedText(const GuardedText&) = delete;
  GuardedText& operator=(const GuardedText&) = delete;

  // Returns a copy with the guard page right behind it or right before it; valid until the next.
  std::string_view AtEnd(std::string_view text) { return Put(room_ + size_ - text.size(), text); }
  std::string_view AtBegin(std::string_view text) { return Put(room_, text); }

 private:
  std::string_view Put(char* at, std::string_view text) {
    if (text.size() > size_) std::abort();
    // Fills the room with a byte at which no reader stops.
    std::memset(room_, 'x', size_);
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    return {at, text.size()};
  }

  const std::size_t page_;
  const std::size_t size_;
  char* room_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_WIRE_TESTING_GUARDED_TEXT_H_
