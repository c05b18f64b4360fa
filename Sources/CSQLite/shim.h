#ifndef BEACONKEEPER_CSQLITE_H
#define BEACONKEEPER_CSQLITE_H

#include <sqlite3.h>

// SQLITE_TRANSIENT, "make a copy", is a cast, which Swift cannot import.
static inline int beaconkeeper_bind_text(sqlite3_stmt *statement, int place, const char *text, int count) {
  return sqlite3_bind_text(statement, place, text, count, SQLITE_TRANSIENT);
}

// An empty blob may be passed as a null pointer, which SQLite would store as NULL.
static inline int beaconkeeper_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, place, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT);
}

#endif
