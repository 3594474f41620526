#include "demo/screen.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace kinformer::demo {
namespace {

bool colors = false;

std::string Styled(const char* code, const std::string& text) {
  return colors ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

int TerminalWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

// The first `width` visible characters of a line; escape sequences and UTF-8 continuation bytes
// take no room.
std::string Cut(const std::string& line, int width) {
  std::string out;
  int seen = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      const std::size_t end = line.find('m', i);
      if (end == std::string::npos) break;
      out.append(line, i, end - i + 1);
      i = end;
      continue;
    }
    if ((static_cast<unsigned char>(line[i]) & 0xc0U) != 0x80U && ++seen > width) break;
    out += line[i];
  }
  return out;
}

}  // namespace

Screen::Screen(bool terminal) : terminal_(terminal) {}

Screen::~Screen() { Finish(); }

void Screen::Show(const std::vector<std::string>& lines) {
  if (!terminal_) return;
  std::string frame = showing_ ? "\x1b[H" : "\x1b[?25l\x1b[2J\x1b[H";
  showing_ = true;
  const int width = TerminalWidth();
  for (const std::string& line : lines) {
    frame += Cut(line, width);
    frame += "\x1b[0m\x1b[K\n";
  }
  frame += "\x1b[J";
  std::fwrite(frame.data(), 1, frame.size(), stdout);
  std::fflush(stdout);
}

void Screen::Note(const std::string& line) {
  if (terminal_ && showing_) return;
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

void Screen::Finish() {
  if (!showing_) return;
  showing_ = false;
  std::fputs("\x1b[?25h", stdout);
  std::fflush(stdout);
}

void SetColors(bool on) { colors = on; }
std::string Bold(const std::string& text) { return Styled("1", text); }
std::string Dim(const std::string& text) { return Styled("2", text); }
std::string Green(const std::string& text) { return Styled("32", text); }
std::string Yellow(const std::string& text) { return Styled("33", text); }
std::string Red(const std::string& text) { return Styled("31", text); }

std::string Grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string Bytes(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1e6) return fmt::format("{:.1f} KB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.1f} MB", bytes / 1e6);
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

std::string Bar(double part, double whole, int width) {
  const int filled =
      whole <= 0 ? 0 : std::min(width, static_cast<int>(std::lround(part / whole * width)));
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < filled ? "█" : "·";
  return bar;
}

}  // namespace kinformer::demo
