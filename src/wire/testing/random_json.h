// wire/testing/random_json.h
//
// RandomJson: documents with values of all kinds, escapes, multi-byte characters and spaces, and
// the same documents with one byte changed.

#ifndef KINFORMER_WIRE_TESTING_RANDOM_JSON_H_
#define KINFORMER_WIRE_TESTING_RANDOM_JSON_H_

#include <random>
#include <string>

namespace kinformer::testing {

// Thread-compatible. The same seed gives the same documents.
class RandomJson {
 public:
  explicit RandomJson(unsigned seed) : random_(seed) {}

  std::string Make() {
    out_.clear();
    Value(0);
    return out_;
  }
  std::string MakeDamaged() {
    Make();
    static constexpr char kBytes[] = "{}[]\",:\\ 0e-.tn\xff";
    out_[Pick(static_cast<unsigned>(out_.size()))] = kBytes[Pick(sizeof(kBytes) - 1)];
    return out_;
  }
  unsigned Pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

 private:
  void Value(int depth) {
    switch (Pick(depth > 4 ? 5 : 7)) {
      case 0:
        out_ += "null";
        break;
      case 1:
        out_ += Pick(2) != 0 ? "true" : "false";
        break;
      case 2:
        out_ += std::to_string(static_cast<int>(random_()));
        break;
      case 3:
        out_ += Pick(2) != 0 ? "-1.5e-3" : "0.25";
        break;
      case 4:
        String();
        break;
      case 5: {
        out_ += '[';
        const unsigned n = Pick(5);
        for (unsigned i = 0; i < n; ++i) {
          if (i > 0) out_ += Pick(2) != 0 ? "," : " , ";
          Value(depth + 1);
        }
        out_ += ']';
        break;
      }
      default: {
        out_ += '{';
        const unsigned n = Pick(5);
        for (unsigned i = 0; i < n; ++i) {
          if (i > 0) out_ += ",\n";
          out_ += "\"k" + std::to_string(i) + "\": ";
          Value(depth + 1);
        }
        out_ += '}';
      }
    }
  }
  void String() {
    static const char* const kPieces[] = {"a",    "\\n",  "\\u00e9", "\xc3\xa9", "{",
                                          "\\\"", "\\\\", " ",       "]",        "\\ud83d\\ude00"};
    out_ += '"';
    const unsigned length = Pick(12);
    for (unsigned i = 0; i < length; ++i) out_ += kPieces[Pick(10)];
    out_ += '"';
  }

  std::mt19937 random_;
  std::string out_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_WIRE_TESTING_RANDOM_JSON_H_
