// Compares our readers and writers with libprotobuf: both read random messages of types built from
// our own descriptors, and libprotobuf reads back the messages we write. KINFORMER_ORACLE_MESSAGES
// sets the number of messages (2,000 by default).

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "kinformer/api/apiextensionsv1_mutable.h"
#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/autoscalingv2_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/resourcev1_mutable.h"
#include "kinformer/internal/block_builder.h"

#include "api/testing/oracle_schema.h"
#include "api/testing/random_message.h"
#include "object/transcode/transcode.h"
#include "wire/protobuf_writer.h"

namespace kinformer {
namespace {

using testing::CanonicalText;
using testing::OracleSchema;
using testing::RandomMessage;

struct Kind {
  const KindInfo* type;
  // Decodes strictly into the mutable struct and encodes it again.
  Result<std::string> (*recode)(std::string_view message);
};

template <class K>
Kind Of() {
  return {&K::kind_info(), [](std::string_view message) -> Result<std::string> {
            auto object = internal::DecodeProtobuf<typename K::Mutable>(message);
            if (!object) return std::move(object).error();
            return internal::EncodeProtobuf(*object);
          }};
}

const std::vector<Kind>& Kinds() {
  static const std::vector<Kind> kinds = {
      Of<corev1::Pod>(),
      Of<corev1::Node>(),
      Of<corev1::Service>(),
      Of<corev1::Secret>(),
      Of<corev1::ConfigMap>(),
      Of<corev1::PersistentVolume>(),
      Of<corev1::Event>(),
      Of<appsv1::Deployment>(),
      Of<autoscalingv2::HorizontalPodAutoscaler>(),
      Of<resourcev1::ResourceSlice>(),
      Of<apiextensionsv1::CustomResourceDefinition>(),
  };
  return kinds;
}

std::uint64_t Messages() {
  const char* const text = std::getenv("KINFORMER_ORACLE_MESSAGES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 2000;
}

// Returns libprotobuf's reading of a message as canonical text.
class Judge {
 public:
  std::optional<std::string> Read(const internal::MessageDescriptor& type, std::string_view bytes,
                                  bool unknown) {
    const auto message = schema_.New(type);
    if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
    return CanonicalText(*message, type, unknown);
  }

 private:
  OracleSchema schema_;
};

// Shows only where the two canonical texts differ, because they are long.
::testing::AssertionResult Same(const std::optional<std::string>& ours,
                                const std::optional<std::string>& theirs) {
  if (ours == theirs) return ::testing::AssertionSuccess();
  if (!ours || !theirs) return ::testing::AssertionFailure() << "cannot be read";
  const auto parted = std::mismatch(ours->begin(), ours->end(), theirs->begin(), theirs->end());
  const auto at = static_cast<std::size_t>(parted.first - ours->begin());
  const std::size_t from = at - std::min<std::size_t>(at, 60);
  return ::testing::AssertionFailure()
         << "ours:   " << ours->substr(from, 160) << "\ntheirs: " << theirs->substr(from, 160);
}

TEST(Oracle, ViewsBlocksMutablesAndJsonAgreeWithLibprotobuf) {
  Judge judge;
  const std::uint64_t messages = Messages();
  std::size_t longest = 0;
  for (std::uint64_t seed = 0; seed < messages; ++seed) {
    const Kind& kind = Kinds()[seed % Kinds().size()];
    const internal::MessageDescriptor& type = *kind.type->message;
    SCOPED_TRACE(std::string(kind.type->kind) + ", seed " + std::to_string(seed));
    // Below the levels that are put in order at entry, views read only one part of a split message.
    const bool shallow = seed % 2 == 0;
    RandomMessage random(seed, shallow ? 2 : 100);
    const std::string bytes = random.Make(type);
    longest = std::max(longest, bytes.size());
    const auto all = judge.Read(type, bytes, true);
    const auto known = judge.Read(type, bytes, false);
    ASSERT_TRUE(all && known);

    const Result<std::string> recoded = kind.recode(bytes);
    ASSERT_TRUE(recoded) << recoded.error();
    EXPECT_TRUE(Same(judge.Read(type, *recoded, true), all));

    std::string json;
    const Result<void> written = internal::ProtobufToJson(type, bytes, json);
    ASSERT_TRUE(written) << written.error();
    const Result<std::string> back = internal::JsonToProtobuf(type, json);
    ASSERT_TRUE(back) << back.error();
    EXPECT_TRUE(Same(judge.Read(type, *back, false), known)) << json;

    const auto block = internal::BuildFromProtobuf(*kind.type, bytes);
    ASSERT_TRUE(block) << block.error();
    EXPECT_TRUE(Same(judge.Read(type, (*block)->payload(), true), all));
    if (shallow) {
      EXPECT_TRUE(Same(CanonicalText(internal::RootView(block->get()).message(), type), known));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(longest, 4000U);
}

// libprotobuf accepts every message that we accept. We are stricter, as Go is: a known field with
// another wire type is an error.
TEST(Oracle, NothingMalformedIsTakenThatLibprotobufRefuses) {
  Judge judge;
  const std::uint64_t messages = Messages();
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 0; seed < messages; ++seed) {
    const Kind& kind = Kinds()[seed % Kinds().size()];
    RandomMessage random(seed, 100);
    std::string bytes = random.Make(*kind.type->message);
    if (bytes.empty()) continue;
    if (random.Pick(2) == 0) {
      bytes.resize(random.Pick(bytes.size()));
    } else {
      bytes[random.Pick(bytes.size())] = static_cast<char>(random.Pick(256));
    }
    const bool theirs = judge.Read(*kind.type->message, bytes, false).has_value();
    const Result<std::string> ours = kind.recode(bytes);
    if (!theirs) ++refused;
    EXPECT_TRUE(theirs || !ours) << kind.type->kind << ", seed " << seed;
    // Any bytes must give a block or an error, and views of the block must give values.
    const auto block = internal::BuildFromProtobuf(*kind.type, bytes);
    if (block) {
      static_cast<void>(
          CanonicalText(internal::RootView(block->get()).message(), *kind.type->message));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, messages / 4);
}

TEST(Oracle, GroupsAreMalformed) {
  Judge judge;
  std::string bytes;
  wire::ProtobufWriter(bytes).BytesField(1, "\x0a\x01x");
  bytes += "\xc3\x3e\x08\x01\xc4\x3e";  // a group of field 1000
  const Kind& pods = Kinds().front();
  EXPECT_TRUE(judge.Read(*pods.type->message, bytes, true));
  const Result<std::string> ours = pods.recode(bytes);
  ASSERT_FALSE(ours);
  EXPECT_NE(ours.error().message().find("byte 5"), std::string::npos) << ours.error();
}

}  // namespace
}  // namespace kinformer
