// cli/size_strata.h
//
// Strata: chooses which objects of a collection `kinformer size` reads, by what their metadata
// shows, and says how well these stand for all.

#ifndef KINFORMER_CLI_SIZE_STRATA_H_
#define KINFORMER_CLI_SIZE_STRATA_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinformer::cli {

// Returns a name without what makes it one of many: digits, and parts that a server or a controller
// draws at random. "web-7d4b9c6f5d-x2x7q" and "web-5c9f7b8d6c-lkz4w" give the same.
std::string PatternOf(std::string_view name);

// An object to read.
struct Pick {
  std::size_t stratum;
  std::string namespace_;
  std::string name;
};

// Groups objects by pattern of the name, owner and size of the metadata (a stratum), and draws from
// each at random: more from large strata, and from those whose objects differ. So a few large
// objects among many small ones are found if their metadata tells them apart. The same seed draws
// the same objects. Used by one thread: all calls of Add, then Merge, then Next and Note in turn.
class Strata {
 public:
  // `keep`: most objects that Next returns from one stratum.
  Strata(std::uint64_t seed, std::size_t keep) : seed_(seed), keep_(keep) {}

  void Add(std::string_view namespace_, std::string_view name, std::string_view owner,
           std::size_t metadata_bytes);
  // Joins the smallest strata if there are many.
  void Merge();

  // Returns the object that improves the estimate most; nothing if all were returned.
  std::optional<Pick> Next();
  // Notes the size of an object of that stratum. An object that is gone is not noted.
  void Note(std::size_t stratum, std::size_t bytes);

  // Returns half the width of the 95 % interval of the sum of all sizes, divided by that sum. 1
  // before there is an estimate.
  [[nodiscard]] double RelativeError() const;
  // Returns how many objects each noted one of that stratum stands for.
  [[nodiscard]] double Weight(std::size_t stratum) const;
  [[nodiscard]] std::size_t objects() const { return objects_; }
  [[nodiscard]] std::size_t size() const { return strata_.size(); }

 private:
  struct Stratum {
    std::size_t objects = 0;
    // The objects with the smallest random numbers, in their order after Merge.
    std::map<std::uint64_t, std::pair<std::string, std::string>> drawn{};
    std::size_t returned = 0;
    std::size_t noted = 0;
    double sum = 0;
    double squares = 0;

    [[nodiscard]] double Mean() const { return sum / static_cast<double>(noted); }
    // REQUIRES: one is noted.
    [[nodiscard]] double Variance() const;
  };
  // Moves what is drawn.
  void Absorb(Stratum& into, Stratum& from) const;

  const std::uint64_t seed_;
  const std::size_t keep_;
  std::map<std::string, Stratum> by_signature_{};
  std::vector<Stratum> strata_{};
  std::size_t objects_ = 0;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SIZE_STRATA_H_
