// Metadata read with the template of another object, compared with the tape: whole objects, objects
// in pieces, and objects between others.

#include "object/entry/metadata_template.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/internal/block_builder.h"

#include "object/entry/fast_object_reader.h"
#include "object/entry/member_prediction.h"
#include "object/values/text_forms.h"
#include "wire/list_splitter.h"
#include "wire/watch_framer.h"

namespace kinformer::internal {
namespace {

const KindInfo& Gadget() {
  return *DynamicKindInfo("example.com", "v1", "Gadget", "gadgets", true);
}

// Makes objects of a few shapes; objects of one shape differ only in texts, numbers and times.
class Alike {
 public:
  explicit Alike(unsigned seed) : random_(seed) {}

  std::string Make(unsigned shape) {
    std::string m = R"("name":)" + Text();
    if (shape % 2 == 0) m += R"(,"generateName":)" + Text();
    if (shape != 3) m += R"(,"namespace":)" + Text();
    m += R"(,"uid":)" + Text() + R"(,"resourceVersion":)" + Text();
    if (shape != 1) m += R"(,"generation":)" + Number();
    m += R"(,"creationTimestamp":)" + Time();
    // The labels are in another order than in the message.
    m += R"(,"labels":{"b":)" + Text() + R"(,"app":)" + Text() + R"(,"c":)" + Text() + "}";
    if (shape < 2) m += R"(, "annotations" : {"first":)" + Text() + R"(,"last":)" + Text() + "}";
    m += R"(,"ownerReferences":[{"apiVersion":"v1","kind":"Owner","name":)" + Text() +
         R"(,"uid":)" + Text() + R"(,"controller":true}])";
    if (shape == 2) m += R"(,"finalizers":[)" + Text() + "," + Text() + "]";
    m += R"(,"managedFields":[{"manager":)" + Text() +
         R"(,"operation":"Update","apiVersion":"v1","time":)" + Time() +
         R"(,"fieldsType":"FieldsV1","fieldsV1":)" + Fields() + R"(},{"manager":"m","fieldsV1":)" +
         Fields() + R"(,"subresource":"status"}])";
    const std::string text = R"({"kind":"Gadget","apiVersion":"example.com/v1","metadata":{)" + m +
                             R"(},"spec":{"note":)" + Text() + R"(},"status":{"n":[1,{"a":2}]}})";
    // The metadata sometimes comes last.
    if (Maybe(6)) return R"({"spec":{"x":)" + Text() + R"(},"metadata":{)" + m + "}}";
    return text;
  }
  std::string Damaged(unsigned shape) {
    std::string text = Make(shape);
    constexpr std::string_view kBytes = "{}[]\",:\\x1 \n\xff";
    text[random_() % text.size()] = kBytes[random_() % kBytes.size()];
    return text;
  }
  bool Maybe(unsigned one_in) { return random_() % one_in == 0; }

 private:
  std::string Text() {
    switch (random_() % 40) {
      case 0:
        return R"("")";
      case 1:
        return R"("an \"escaped\"\ttext\u00e9")";
      case 2:
        return "\"" + std::string(random_() % 300, 'l') + "\"";
      case 3:
        return "\"\xc3\xa9t\xc3\xa9\"";
      case 4:
        return R"("{\"a\":[\"}\"]}")";
      default:
        return "\"text-" + std::string(random_() % 70, 't') + "\"";
    }
  }
  std::string Number() {
    constexpr const char* kOdd[] = {"0", "-1", "-0", "01", "1.5", "99999999999999999999", "null"};
    return Maybe(40) ? kOdd[random_() % 7] : std::to_string(random_() >> (random_() % 32));
  }
  std::string Time() {
    constexpr const char* kOdd[] = {
        R"("2026-03-01T10:00:00.5Z")",   R"("2026-03-01T10:00:00+02:00")",
        R"("0001-01-01T00:00:00Z")",     R"("2026-02-30T10:00:00Z")",
        R"("1969-12-31T23:59:59Z")",     R"("9999-12-31T23:59:59Z")",
        R"("\u0032026-03-01T10:00:00Z")"};
    if (Maybe(40)) return kOdd[random_() % 7];
    return R"("2026-03-0)" + std::to_string(1 + random_() % 3) + "T1" +
           std::to_string(random_() % 10) + R"(:00:00Z")";
  }
  std::string Fields() {
    return R"({"f:spec":{"k:{\"name\":\")" + std::string(random_() % 200, 'k') +
           R"(\"}":{".":{}}}})";
  }

  std::mt19937 random_;
};

void ExpectSame(const Result<ObjectRef>& built, const Result<ObjectRef>& full,
                std::string_view text) {
  ASSERT_TRUE(built) << text << built.error();
  EXPECT_EQ((*built)->metadata_bytes(), (*full)->metadata_bytes()) << text;
  EXPECT_EQ((*built)->payload(), (*full)->payload()) << text;
  EXPECT_EQ((*built)->name(), (*full)->name()) << text;
  EXPECT_EQ((*built)->namespace_(), (*full)->namespace_()) << text;
  EXPECT_EQ((*built)->uid(), (*full)->uid()) << text;
  EXPECT_EQ((*built)->resourceVersion(), (*full)->resourceVersion()) << text;
  EXPECT_TRUE((*built)->SameAs(**full)) << text;
}

void ReadAlikeAndDamaged() {
  Alike alike(3);
  int by_template = 0;
  int good = 0;
  for (int round = 0; round < 20000; ++round) {
    // Several rounds use the same shape; kinds that alternate have a template each.
    const auto shape = static_cast<unsigned>(round % 5 == 0 ? round / 100 + 1 : round / 100) % 4;
    const std::string text = round % 6 == 5 ? alike.Damaged(shape) : alike.Make(shape);
    const bool drop = round / 1000 % 2 == 1;
    // A separate allocation, so that a sanitizer detects a read past the end.
    const std::vector<char> exact(text.begin(), text.end());
    const std::string_view json(exact.data(), exact.size());
    wire::JsonBitmap bitmap;
    bitmap.Read(json);
    FastObject object;
    const bool read = ReadFastObject(json, bitmap, {.drop_managed_fields = drop}, object);
    if (read && object.by_template) ++by_template;
    const auto full = BuildFromJson(Gadget(), json,
                                    {.drop_managed_fields = drop, .validation = Validation::kFull});
    if (!full) continue;
    ++good;
    const auto built = BuildFromJson(Gadget(), json, {.drop_managed_fields = drop});
    ExpectSame(built, full, text);
    if (read) {
      ASSERT_EQ(object.metadata.view(), (*full)->metadata_bytes()) << text;
    }
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_GT(good, 10000);
  EXPECT_GT(by_template, good * 3 / 4);
}

// Runs on a new thread, because a thread's templates depend on what it has read before.
TEST(MetadataTemplate, MakesTheSameMetadataAsTheTape) { std::thread(ReadAlikeAndDamaged).join(); }

// Changes each text that may differ between objects, one at a time, to a shorter and to a longer
// one: the template of the object before must read it at once.
void ReadWhatDiffers(bool drop) {
  const std::string text =
      R"({"kind":"Gadget","apiVersion":"example.com/v1","metadata":{"name":"name-1",)"
      R"("generateName":"generate-1","namespace":"namespace-1","selfLink":"self-1","uid":"uid-1",)"
      R"("resourceVersion":"10","generation":20,"creationTimestamp":"2026-03-01T10:00:01Z",)"
      R"("deletionTimestamp":"2026-03-01T10:00:02Z","labels":{"a":"label-1","b":"label-2"},)"
      R"("annotations":{"c":"annotation-1"},"ownerReferences":[{"apiVersion":"owner-1",)"
      R"("kind":"owner-2","name":"owner-3","uid":"owner-4","controller":true},{"uid":"owner-5"}],)"
      R"("finalizers":["finalizer-1","finalizer-2"],"managedFields":[{"manager":"managed-1",)"
      R"("operation":"managed-2","apiVersion":"managed-3","time":"2026-03-01T10:00:03Z",)"
      R"("fieldsType":"managed-4","fieldsV1":{"managed-5":{}},"subresource":"managed-6"},)"
      R"({"manager":"managed-7"}]},"spec":{"note":"behind the metadata"}})";
  std::vector<std::pair<std::string, std::string>> changes = {
      {"20", "21"},        {"20", "0"},         {"20", "-7"},
      {"20", "123456789"}, {":01Z", ":11Z"},    {":02Z", ":12Z"},
      {":01Z", ":59Z"},    {"\"10\"", "\"9\""}, {"\"10\"", "\"1\\u0030\""}};
  for (const std::string prefix : {"name-", "generate-", "namespace-", "self-", "uid-", "label-",
                                   "annotation-", "owner-", "finalizer-", "managed-"}) {
    for (int i = 1; text.find("\"" + prefix + std::to_string(i) + "\"") != std::string::npos; ++i) {
      const std::string from = "\"" + prefix + std::to_string(i) + "\"";
      for (const std::size_t size : {0U, 7U, 50U, 130U}) {
        changes.emplace_back(from, "\"" + std::string(size, 'x') + "\"");
      }
    }
  }
  if (drop) changes.emplace_back(R"([{"manager":"managed-1",)", R"([{"manager":["]"],)");
  for (const std::string& object :
       {text, std::string(R"({"metadata":{"labels":{"a":"label-1"}},"spec":{"n":"behind"}})")}) {
    int changed = 0;
    const auto read = [&](const std::string& json) {
      const BuildOptions options{.drop_managed_fields = drop};
      wire::JsonBitmap bitmap;
      bitmap.Read(json);
      FastObject fast;
      EXPECT_TRUE(ReadFastObject(json, bitmap, options, fast)) << json;
      BuildOptions careful = options;
      careful.validation = Validation::kFull;
      const auto full = BuildFromJson(Gadget(), json, careful);
      EXPECT_TRUE(full) << full.error();
      EXPECT_EQ(fast.metadata.view(), (*full)->metadata_bytes()) << json;
      ExpectSame(BuildFromJson(Gadget(), json, options), full, json);
      return fast.by_template;
    };
    read(object);
    for (const auto& [from, to] : changes) {
      const std::size_t at = object.find(from);
      if (at == std::string::npos) continue;
      ++changed;
      EXPECT_TRUE(read(std::string(object).replace(at, from.size(), to))) << from << to;
      EXPECT_TRUE(read(object)) << from << to;
    }
    EXPECT_GE(changed, 4);
  }
}

TEST(MetadataTemplate, ReadsWhateverDiffers) {
  for (const bool drop : {false, true}) std::thread(ReadWhatDiffers, drop).join();
}

// Returns whether a template read the object. Also checks that the tape reads the same.
bool IsReadByTemplate(const std::string& json, bool drop) {
  const BuildOptions options{.drop_managed_fields = drop};
  wire::JsonBitmap bitmap;
  bitmap.Read(json);
  FastObject fast;
  EXPECT_TRUE(ReadFastObject(json, bitmap, options, fast)) << json;
  BuildOptions careful = options;
  careful.validation = Validation::kFull;
  EXPECT_EQ(fast.metadata.view(), BuildFromJson(Gadget(), json, careful).OrExit()->metadata_bytes())
      << json;
  return fast.by_template;
}

// A thread keeps four templates; a fifth replaces the oldest one.
void ReadKindsInTurn() {
  const auto shape = [](int i) {
    return R"({"metadata":{"name":"n","labels":{"shape-)" + std::to_string(i) +
           R"(":"x"},"managedFields":[{"manager":"m"}]},"spec":{}})";
  };
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(IsReadByTemplate(shape(i), false)) << i;
  for (int i = 0; i < 12; ++i) EXPECT_TRUE(IsReadByTemplate(shape(i * 7 % 4), false)) << i;
  EXPECT_FALSE(IsReadByTemplate(shape(4), false));
  for (const int i : {3, 1, 4, 2, 1}) EXPECT_TRUE(IsReadByTemplate(shape(i), false)) << i;
  EXPECT_FALSE(IsReadByTemplate(shape(0), false));
  for (const int i : {0, 4, 3, 2}) EXPECT_TRUE(IsReadByTemplate(shape(i), false)) << i;
  EXPECT_FALSE(IsReadByTemplate(shape(3), true)) << "it keeps what is to be dropped";
  for (const bool drop : {true, false, true}) EXPECT_TRUE(IsReadByTemplate(shape(3), drop));
}

TEST(MetadataTemplate, AlternatingKinds_AreReadCorrectly) { std::thread(ReadKindsInTurn).join(); }

// Builds blocks from objects in two pieces, cut at every place, with the bitmap that the splitter
// made of them.
class Blocks final : public wire::ListSplitter::Sink, public wire::WatchFramer::Sink {
 public:
  explicit Blocks(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      full_.push_back(BuildFromJson(Gadget(), text, {.validation = Validation::kFull}).OrExit());
    }
  }
  Result<void> OnItem(std::string_view item, const wire::JsonBitmap* bitmap) override {
    const auto built = BuildFromJson(Gadget(), item, {}, bitmap);
    if (!built) return built.error();
    EXPECT_TRUE((*built)->SameAs(*full_[next_])) << item;
    next_ = (next_ + 1) % full_.size();
    return {};
  }
  Result<void> OnFrame(const wire::WatchFrame& frame) override {
    return OnItem(frame.object, frame.bitmap);
  }
  [[nodiscard]] bool ended() const { return next_ == 0; }

 private:
  std::vector<ObjectRef> full_;
  std::size_t next_ = 0;
};

std::vector<std::string> GoodObjects() {
  Alike alike(7);
  std::vector<std::string> texts;
  while (texts.size() < 6) {
    std::string text = alike.Make(0);
    if (BuildFromJson(Gadget(), text, {.validation = Validation::kFull})) texts.push_back(text);
  }
  return texts;
}

template <class Splitter>
void CutEverywhere(const std::string& body, Blocks& blocks) {
  for (std::size_t cut = 0; cut <= body.size(); ++cut) {
    Splitter splitter(Encoding::kJson);
    const std::string_view all = body;
    // Each piece has its own allocation, so that a sanitizer detects a read past its end.
    for (const std::string_view piece : {all.substr(0, cut), all.substr(cut)}) {
      const std::vector<char> exact(piece.begin(), piece.end());
      ASSERT_TRUE(splitter.Feed({exact.data(), exact.size()}, blocks)) << cut;
    }
    ASSERT_TRUE(splitter.Finish()) << cut;
    ASSERT_TRUE(blocks.ended()) << cut;
    ASSERT_FALSE(::testing::Test::HasFailure()) << cut;
  }
}

TEST(MetadataTemplate, ReadsItemsOfAListThatIsCutAnywhere) {
  const std::vector<std::string> texts = GoodObjects();
  std::string body =
      R"({"kind":"GadgetList","apiVersion":"example.com/v1","metadata":{},"items":[)";
  for (const std::string& text : texts) body += text + (&text == &texts.back() ? "]}" : ",");
  Blocks blocks(texts);
  CutEverywhere<wire::ListSplitter>(body, blocks);
}

TEST(MetadataTemplate, ReadsEventsOfAWatchThatIsCutAnywhere) {
  const std::vector<std::string> texts = GoodObjects();
  std::string body;
  for (const std::string& text : texts) body += R"({"type":"MODIFIED","object":)" + text + "}\n";
  Blocks blocks(texts);
  CutEverywhere<wire::WatchFramer>(body, blocks);
}

// Positions found in an object that is then declined must not be used for the next one.
TEST(MetadataTemplate, ForgetsWhatItDeclines) {
  const auto text = [](std::string_view note) {
    return R"({"metadata":{"name":"n","annotations":{"note":")" + std::string(note) +
           R"("}},"spec":{}})";
  };
  for (const std::string_view note :
       {"one", "other", R"(a bad escape: \x, here)", "as long as the bad one", "short",
        R"(\ud83d\ude00 escapes)", "a text of 12", "other"}) {
    const auto full = BuildFromJson(Gadget(), text(note), {.validation = Validation::kFull});
    const auto built = BuildFromJson(Gadget(), text(note));
    ASSERT_EQ(built.ok(), full.ok()) << note;
    if (full) ExpectSame(built, full, note);
  }
}

// Keys longer than any server writes are declined by every reader.
TEST(MetadataTemplate, DeclinesLongKeys) {
  const auto text = [](std::size_t size) {
    return R"({"metadata":{"name":")" + std::string(size, 'n') + R"(","uid":"u"},"spec":{}})";
  };
  for (const std::size_t size : {1U, 2U, 255U, 256U, 3U, 254U, 300U}) {
    EXPECT_EQ(BuildFromJson(Gadget(), text(size)).ok(), size <= 255) << size;
    EXPECT_EQ(BuildFromJson(Gadget(), text(size), {.validation = Validation::kFull}).ok(),
              size <= 255)
        << size;
  }
  // Keys that begin behind the first 64 KiB are declined too: other fields take 14 bytes here.
  for (const std::size_t size : {65535U - 14, 65536U - 14}) {
    const std::string json = R"({"metadata":{"generateName":")" + std::string(size, 'g') +
                             R"(","resourceVersion":"7"},"spec":{}})";
    for (const Validation validation : {BuildOptions().validation, Validation::kFull}) {
      EXPECT_EQ(BuildFromJson(Gadget(), json, {.validation = validation}).ok(), size == 65535 - 14)
          << size;
    }
  }
}

// The shortcut for the day that was read last must accept the same texts as ParseRfc3339.
TEST(TimePrediction, PredictedTime_EqualsParsedTime) {
  const std::string noon = "2026-03-01T12:34:56Z";
  for (std::size_t at = 0; at < noon.size(); ++at) {
    for (const char c : std::string_view("0123456789:;/ -+TZtz.ax\xff")) {
      std::string text = noon;
      text[at] = c;
      TimePrediction time;
      ASSERT_EQ(time(noon), ParseRfc3339(noon));
      ASSERT_EQ(time(text), ParseRfc3339(text)) << text;
      ASSERT_EQ(time(noon), ParseRfc3339(noon)) << "after " << text;
    }
  }
  TimePrediction time;
  for (const char* text : {"2026-03-01T23:59:59Z", "2026-03-01T00:00:00Z", "2026-03-01T24:00:00Z",
                           "2026-03-01T23:60:00Z", "2026-03-01T23:59:60Z", "1969-12-31T23:59:59Z",
                           "1969-12-31T00:00:01Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
                           "2026-03-01T10:00:00.5Z", "2026-03-01T10:00:00+02:00",
                           "2026-03-01T10:00:00Z ", "", "2026"}) {
    for (int twice = 0; twice < 2; ++twice) ASSERT_EQ(time(text), ParseRfc3339(text)) << text;
    ASSERT_EQ(time(noon), ParseRfc3339(noon)) << "after " << text;
    ASSERT_EQ(time(text), ParseRfc3339(text)) << text;
  }
}

TEST(PlainInteger, IsPlainInteger_AcceptsJsonIntegersOnly) {
  for (const char* good : {"0", "7", "10", "-0", "-5", "-10", "99999999999999999999"}) {
    EXPECT_TRUE(IsPlainInteger(good)) << good;
  }
  for (const char* bad : {"", "-", "00", "01", "-01", "--1", "+1", "1.0", "1e3", "/", ":",
                          "1:", "1/", " 1", "1 ", "x"}) {
    EXPECT_FALSE(IsPlainInteger(bad)) << bad;
  }
}

TEST(MemberName, IsComparedToItsColon) {
  for (const std::string name : {"uid", "a-name-of-twenty-nine-letters"}) {
    const MemberName member(name);
    EXPECT_EQ(member.name(), name);
    EXPECT_EQ(member.size(), name.size() + 3);
    const std::string text = '"' + name + "\":" + std::string(40, 'x');
    EXPECT_TRUE(member.IsAt(text.data()));
    for (std::size_t at = 0; at < 40; ++at) {
      std::string other = text;
      other[at] = '?';
      EXPECT_EQ(member.IsAt(other.data()), at >= member.size()) << at;
    }
  }
}

}  // namespace
}  // namespace kinformer::internal
