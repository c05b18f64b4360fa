#ifndef BEACONKEEPER_DASHBOARD_FILES_H
#define BEACONKEEPER_DASHBOARD_FILES_H

#include <stddef.h>

/// One file of the page.
struct dashboard_file {
  const char *name;
  const unsigned char *data;
  size_t size;
};

/// The file of this index; NULL beyond the last.
const struct dashboard_file *dashboard_file(size_t index);

#endif
