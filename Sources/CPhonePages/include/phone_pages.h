#ifndef BEACONKEEPER_PHONE_PAGES_H
#define BEACONKEEPER_PHONE_PAGES_H

#include <stddef.h>

/// A page of the phones' documentation.
struct phone_page {
  const char *name;
  const unsigned char *data;
  size_t size;
};

/// The page of this index; NULL beyond the last. The table of rules comes first, then the strategies, those of iOS first.
const struct phone_page *phone_page(size_t index);

#endif
