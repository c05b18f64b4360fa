#include "vendors.h"

// All supported compilers know #embed, but older ones warn that it is new.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char text[] = {
#embed "../Contract/vendors.txt"
};

const unsigned char *vendors_text(size_t *size) {
  *size = sizeof text;
  return text;
}
