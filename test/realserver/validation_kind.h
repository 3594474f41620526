// test/realserver/validation_kind.h
//
// Gadget: a kind with every rule that a struct can state.

#ifndef KINFORMER_TEST_REALSERVER_VALIDATION_KIND_H_
#define KINFORMER_TEST_REALSERVER_VALIDATION_KIND_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/api/metav1_mutable.h"
#include "kinformer/object/custom_resource.h"

namespace kinformer::testing {

enum class Shape { kRound, kSquare };
constexpr std::array<EnumName<Shape>, 2> EnumNames(Shape) {
  return {{{Shape::kRound, "Round"}, {Shape::kSquare, "Square"}}};
}

struct GadgetPort {
  std::string name{};
  std::uint16_t port = 80;
  std::optional<std::string> protocol{};
  static constexpr FieldSchema kSchema[] = {
      {.member = "name", .required = true, .pattern = "^[a-z]+$", .max_length = 8},
      {.member = "protocol", .default_value = R"("TCP")", .values = "TCP, UDP"},
  };
};

struct GadgetLimits {
  std::int32_t least = 0;
  std::int32_t most = 0;
  static constexpr FieldSchema kSchema[] = {
      {.rule = {.expression = "self.least <= self.most",
                .message_expression = "self.most > 5 ? 'least is above most' : 'most is small'",
                .reason = "FieldValueForbidden",
                .field_path = ".least"}},
      {.member = "least", .required = true},
      {.member = "most", .required = true},
  };
};

struct GadgetSpec {
  std::string title{};
  std::int32_t count = 3;
  std::int64_t large = 0;
  std::optional<double> ratio{};
  std::optional<std::int32_t> step{};
  bool open = true;
  Shape shape = Shape::kSquare;
  std::string mode{};
  std::vector<GadgetPort> ports{};
  std::vector<std::string> hosts{};
  std::vector<std::int32_t> marks{};
  std::map<std::string, std::string> labels{};
  metav1::Time since{};
  std::string day{};
  std::string address{};
  resource::Quantity memory{};
  intstr::IntOrStringMutable target{};
  json::Value anything{};
  json::Value free{};
  json::Value inner{};
  std::optional<std::string> nothing{};
  Box<GadgetLimits> limits{};
  std::optional<std::string> fixed{};
  static constexpr FieldSchema kHost{.pattern = "^[a-z.]+$", .min_length = 1, .max_length = 12};
  static constexpr FieldSchema kLabel{.max_length = 5};
  static constexpr FieldSchema kSchema[] = {
      {.rule = {.expression = "self.count < 50 || !self.open", .message = "open has few"}},
      {.rule = {.expression = "!has(self.ratio) || self.ratio < 0.9 || size(self.title) > 2"}},
      {.member = "title", .required = true, .min_length = 1, .max_length = 10},
      {.member = "count", .minimum = 0, .maximum = 100},
      {.member = "large", .minimum = -5, .exclusive_minimum = true},
      {.member = "ratio", .minimum = 0, .maximum = 1, .exclusive_maximum = true},
      {.member = "step", .multiple_of = 5},
      {.member = "mode", .default_value = R"("Fast")", .values = "Fast, Slow, Off"},
      {.member = "ports", .max_items = 3, .list_type = "map", .list_map_keys = "name"},
      {.member = "hosts", .min_items = 1, .max_items = 4, .list_type = "set", .each = &kHost},
      {.member = "marks", .max_items = 5, .list_type = "atomic"},
      {.member = "labels", .min_properties = 1, .max_properties = 3, .each = &kLabel},
      {.member = "day", .format = "date"},
      {.member = "address", .format = "ipv4"},
      {.member = "free", .extra = R"({"type":"object"})"},
      {.member = "inner",
       .preserve_unknown_fields = true,
       .embedded_resource = true,
       .extra = R"({"type":"object"})"},
      {.member = "nothing", .nullable = true},
      {.member = "fixed",
       .max_length = 20,
       .rule = {.expression = "self == oldSelf", .message = "fixed cannot change"}},
  };
};

struct GadgetStatus {
  std::int32_t count = 0;
  std::string selector{};
  std::vector<metav1::ConditionMutable> conditions{};
};

struct Gadget {
  static constexpr CustomKind kKind{
      .group = "compare.example.com",
      .version = "v1",
      .short_names = "gd",
      .categories = "all",
      .description = "A kind with every rule.",
      .columns = {{.name = "Count", .path = ".spec.count", .description = "How many."},
                  {.name = "Since", .path = ".spec.since", .priority = 1},
                  {.name = "Ready", .path = ".status.conditions[?(@.type==\"Ready\")].status"}},
      .scale = {.spec = ".spec.count", .status = ".status.count", .selector = ".status.selector"},
      .selectable_fields = ".spec.title"};
  GadgetSpec spec{};
  GadgetStatus status{};
  static constexpr FieldSchema kSchema[] = {{.member = "spec", .required = true}};
};
using Gadgets = CustomResource<Gadget>;

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_REALSERVER_VALIDATION_KIND_H_
