#include "apiserver/defaults.h"

#include <gtest/gtest.h>

TEST(Defaults, Nothing) {}
