#include "kinformer/testing/fake_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/object/object_from_json.h"
#include "kinformer/testing/matchers.h"

namespace kinformer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Ref<corev1::Pod> Pod() {
  return ObjectFromJson(corev1::Pod::kind_info(),
                        R"({"metadata": {"name": "web-0", "namespace": "default"}})")
      .OrExit()
      .As<corev1::Pod>();
}

TEST(FakeRecorderTest, KeepsEachEventAsItWasRecorded) {
  const auto recorder = std::make_shared<FakeRecorder>();
  const std::shared_ptr<EventRecorder> used = recorder;
  used->Event(Pod(), kEventTypeNormal, "Printed", "two pages");
  used->Event(Pod(), kEventTypeNormal, "Printed", "two pages");
  used->AnnotatedEvent(ReferenceTo(Pod()), {{"by", "me"}}, kEventTypeWarning, "Jammed", "no paper");
  const RecordedEvent printed{.type = "Normal",
                              .reason = "Printed",
                              .message = "two pages",
                              .kind = "Pod",
                              .object = {"default", "web-0"}};
  RecordedEvent jammed = printed;
  jammed.type = "Warning";
  jammed.reason = "Jammed";
  jammed.message = "no paper";
  jammed.annotations = {{"by", "me"}};
  EXPECT_THAT(recorder->Events(), ElementsAre(printed, printed, jammed));
  std::ostringstream out;
  out << printed;
  EXPECT_EQ(out.str(), "Normal Printed two pages (Pod default/web-0)");
  EXPECT_THAT(*recorder, HasEvent("Warning", "Jammed", HasSubstr("paper")));
  EXPECT_THAT(recorder, Not(HasEvent("Warning", "Printed")));
  recorder->ClearEvents();
  EXPECT_THAT(recorder->Events(), IsEmpty());
}

TEST(FakeRecorderTest, KeepsEventsOfTheNewVersionWithTheirActions) {
  FakeEventsRecorder recorder;
  events::EventRecorder& used = recorder;
  used.Event(Pod(), kEventTypeNormal, "Printed", "Printing", "two pages");
  EXPECT_THAT(recorder, HasEvent("Normal", "Printed", "two pages"));
  std::ostringstream out;
  out << recorder.Events().front();
  EXPECT_EQ(out.str(), "Normal Printed Printing two pages (Pod default/web-0)");
}

}  // namespace
}  // namespace kinformer::testing
