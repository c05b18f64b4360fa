#pragma once
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

// Makes the permitted capabilities effective, for this thread and those that it starts: capabilities(7).
static inline void beaconkeeper_raise_permitted_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, data) != 0) return;
  for (int word = 0; word < _LINUX_CAPABILITY_U32S_3; word++) data[word].effective = data[word].permitted;
  syscall(SYS_capset, &header, data);
}
