#include "tests.h"
const struct test attack_tests[]={END_OF_TESTS};
