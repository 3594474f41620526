// demo/screen.h
//
// Screen: shows the demo's state again and again: in place on a terminal, as lines appended to a
// log elsewhere.

#ifndef KINFORMER_CLI_DEMO_SCREEN_H_
#define KINFORMER_CLI_DEMO_SCREEN_H_

#include <cstdint>
#include <string>
#include <vector>

namespace kinformer::demo {

// Used by one thread. Restores the terminal at the end.
class Screen {
 public:
  // `terminal`: whether standard output is a terminal. Otherwise Show prints nothing.
  explicit Screen(bool terminal);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  [[nodiscard]] bool terminal() const { return terminal_; }
  // Replaces the picture. Lines longer than the width of the terminal are cut.
  void Show(const std::vector<std::string>& lines);
  // Prints a line that stays, for logs. Ignored while a picture is shown on a terminal.
  void Note(const std::string& line);
  // Restores a plain terminal with the cursor below the picture; later output is normal text.
  void Finish();

 private:
  bool terminal_;
  bool showing_ = false;
};

// Returns the text in a colour or bold, if the output is a terminal.
std::string Bold(const std::string& text);
std::string Dim(const std::string& text);
std::string Green(const std::string& text);
std::string Yellow(const std::string& text);
std::string Red(const std::string& text);
void SetColors(bool on);

// Groups digits with commas: 12,345.
std::string Grouped(std::uint64_t number);
// Formats a size, such as "3.6 MB".
std::string Bytes(double bytes);
// Returns a bar of `width` cells, filled in proportion.
std::string Bar(double part, double whole, int width);

}  // namespace kinformer::demo

#endif  // KINFORMER_CLI_DEMO_SCREEN_H_
