// What Swift cannot ask the kernel. The system's headers are not included here: this module would own their types, too.
#ifndef BEACONKEEPER_LINUX_H
#define BEACONKEEPER_LINUX_H

/// Makes the permitted capabilities effective, for this thread and those that it starts: capabilities(7).
void beaconkeeper_raise_permitted_capabilities(void);

/// 1 if nothing has set the clock since the machine started, 0 if something has, -1 if the kernel does not say: adjtimex(2).
int beaconkeeper_clock_is_unset(void);

#endif
