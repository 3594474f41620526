#include "kinformer/client/body_pipe.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer {
namespace {

// Takes all that is there, `step` bytes at a time.
std::string TakeAll(BodyPipe& pipe, std::size_t step) {
  std::string all;
  std::string buffer(step, '\0');
  while (true) {
    const Result<BodyPipe::Taken> taken = pipe.Take(buffer.data(), buffer.size());
    if (!taken) return all + "!" + taken.error().message();
    all.append(buffer, 0, taken->bytes);
    if (taken->end) return all + ".";
    if (taken->bytes == 0) return all;
  }
}

TEST(BodyPipeTest, BytesComeInOrderThroughBuffersOfAnySize) {
  for (const std::size_t step : {1U, 2U, 5U, 100U}) {
    BodyPipe pipe;
    EXPECT_FALSE(pipe.size());
    pipe.Write("one ");
    pipe.Write("");
    pipe.Write("two ");
    EXPECT_EQ(TakeAll(pipe, step), "one two ");
    pipe.Write("three");
    pipe.Close();
    pipe.Write("too late");
    EXPECT_EQ(TakeAll(pipe, step), "three.");
  }
}

TEST(BodyPipeTest, TheReaderIsWokenOnceForEachTimeItFoundNothing) {
  BodyPipe pipe;
  int wakes = 0;
  pipe.SetWake([&] { ++wakes; });
  pipe.Write("early");
  EXPECT_EQ(wakes, 0);
  EXPECT_EQ(TakeAll(pipe, 10), "early");
  pipe.Write("a");
  pipe.Write("b");
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(TakeAll(pipe, 10), "ab");
  pipe.Close();
  EXPECT_EQ(wakes, 2);
  EXPECT_EQ(TakeAll(pipe, 10), ".");
}

TEST(BodyPipeTest, AWriterIsToldWhenThereIsRoom) {
  BodyPipe pipe;
  int rooms = 0;
  pipe.SetRoom([&] { ++rooms; });
  EXPECT_TRUE(pipe.wants_more());
  pipe.Write(std::string(std::size_t{256} << 10, 'x'));
  EXPECT_FALSE(pipe.wants_more());
  char one = 0;
  EXPECT_TRUE(pipe.Take(&one, 1).ok());
  EXPECT_EQ(rooms, 1);
  EXPECT_TRUE(pipe.wants_more());
  EXPECT_TRUE(pipe.Take(&one, 1).ok());
  EXPECT_EQ(rooms, 1);
}

TEST(BodyPipeTest, AFailureIsGivenToTheReader) {
  BodyPipe pipe;
  pipe.Write("lost");
  pipe.Fail(Error(Reason::kUnreadable, "the disk is gone"));
  EXPECT_EQ(TakeAll(pipe, 10), "!the disk is gone");
  EXPECT_FALSE(pipe.wants_more());
  pipe.Close();
  EXPECT_EQ(TakeAll(pipe, 10), "!the disk is gone");
}

TEST(BodyPipeTest, ASizeThatIsWrongIsAnError) {
  BodyPipe right(4);
  right.Write("four");
  right.Close();
  EXPECT_EQ(TakeAll(right, 10), "four.");
  BodyPipe more(4);
  more.Write("five!");
  EXPECT_EQ(TakeAll(more, 10),
            "!the request's body was to have 4 bytes, but it has more: correct its size, or leave "
            "it out");
  BodyPipe less(4);
  less.Write("two");
  less.Close();
  EXPECT_NE(TakeAll(less, 10).find("but it has 3"), std::string::npos);
}

TEST(BodyPipeTest, AnAbandonedOneTakesNothingAndCallsNobody) {
  BodyPipe pipe;
  int calls = 0;
  pipe.SetRoom([&] { ++calls; });
  pipe.SetWake([&] { ++calls; });
  EXPECT_EQ(TakeAll(pipe, 10), "");
  pipe.Abandon();
  EXPECT_FALSE(pipe.wants_more());
  pipe.Write("nobody");
  pipe.Close();
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace kinformer
