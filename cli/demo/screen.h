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

// Belongs to one thread. Leaves the terminal as it found it.
class Screen {
 public:
  // `terminal`: standard output is one. Otherwise Show prints nothing and only Note does.
  explicit Screen(bool terminal);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  [[nodiscard]] bool terminal() const { return terminal_; }
  // Replaces the picture. Lines longer than the width of the terminal are cut.
  void Show(const std::vector<std::string>& lines);
  // A line that stays: for logs. Ignored on a terminal while a picture is shown.
  void Note(const std::string& line);
  // Restores a plain terminal with the cursor below the picture; later output is normal text.
  void Finish();

 private:
  bool terminal_;
  bool showing_ = false;
};

// Text in a colour or bold, where the output is a terminal.
std::string Bold(const std::string& text);
std::string Dim(const std::string& text);
std::string Green(const std::string& text);
std::string Yellow(const std::string& text);
std::string Red(const std::string& text);
void SetColors(bool on);

// Digits grouped by commas: 12,345.
std::string Grouped(std::uint64_t number);
// "3.6 MB".
std::string Bytes(double bytes);
// A bar of `width` cells, filled in proportion.
std::string Bar(double part, double whole, int width);

}  // namespace kinformer::demo

#endif  // KINFORMER_CLI_DEMO_SCREEN_H_
