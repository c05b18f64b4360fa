#ifndef BEACONKEEPER_CBLUEZ_H
#define BEACONKEEPER_CBLUEZ_H

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <linux/filter.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

// What Swift cannot import: macros with casts, bit fields, control messages.

enum { BEACONKEEPER_NO_DEVICE = HCI_DEV_NONE };

// An HCI socket on a channel of an adapter; non-blocking. -1 and errno on failure.
static inline int beaconkeeper_hci_socket(uint16_t adapter, uint16_t channel) {
  int fd = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
  if (fd < 0) return -1;
  struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = adapter, .hci_channel = channel};
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

// Lets events with these codes through, all below 64 and none else, and asks for receive timestamps.
static inline int beaconkeeper_hci_filter(int fd, uint64_t events) {
  struct hci_filter filter;
  memset(&filter, 0, sizeof filter);
  filter.type_mask = 1u << HCI_EVENT_PKT;
  filter.event_mask[0] = (uint32_t)events;
  filter.event_mask[1] = (uint32_t)(events >> 32);
  int on = 1;
  if (setsockopt(fd, SOL_HCI, HCI_TIME_STAMP, &on, sizeof on) < 0) return -1;
  return setsockopt(fd, SOL_HCI, HCI_FILTER, &filter, sizeof filter);
}

// The event codes the kernel really lets through: without CAP_NET_RAW it strips some and reports no error.
static inline int beaconkeeper_hci_read_filter(int fd, uint64_t *events) {
  struct hci_filter filter;
  memset(&filter, 0, sizeof filter);
  socklen_t length = sizeof filter;
  if (getsockopt(fd, SOL_HCI, HCI_FILTER, &filter, &length) < 0) return -1;
  *events = filter.event_mask[0] | (uint64_t)filter.event_mask[1] << 32;
  return 0;
}

// Receives one packet with the kernel's timestamp (nanoseconds since 1970; left alone where there is none).
static inline ssize_t beaconkeeper_receive(int fd, void *bytes, size_t size, int64_t *wall_time) {
  struct iovec part = {.iov_base = bytes, .iov_len = size};
  union {
    char bytes[128];
    struct cmsghdr align;
  } control;
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  ssize_t count = recvmsg(fd, &message, MSG_DONTWAIT);
  if (count < 0) return count;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_HCI || header->cmsg_type != HCI_CMSG_TSTAMP) continue;
    // A timeval of the kernel's word size, which need not be that of time_t.
    if (header->cmsg_len == CMSG_LEN(16)) {
      int64_t stamp[2];
      memcpy(stamp, CMSG_DATA(header), sizeof stamp);
      *wall_time = stamp[0] * 1000000000 + stamp[1] * 1000;
    } else if (header->cmsg_len == CMSG_LEN(8)) {
      int32_t stamp[2];
      memcpy(stamp, CMSG_DATA(header), sizeof stamp);
      *wall_time = (int64_t)stamp[0] * 1000000000 + (int64_t)stamp[1] * 1000;
    }
  }
  return count;
}

// Asks for a receive buffer: beyond the system's limit with CAP_NET_ADMIN, up to it without.
static inline int beaconkeeper_receive_buffer(int fd, int bytes) {
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) == 0) return 0;
  return setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

// Packets that the kernel dropped because the receive buffer was full; -1 and errno on failure.
static inline int64_t beaconkeeper_dropped(int fd) {
  uint32_t values[9] = {0};
  socklen_t length = sizeof values;
  if (getsockopt(fd, SOL_SOCKET, 55 /* SO_MEMINFO */, values, &length) < 0) return -1;
  return length >= sizeof values ? values[8] : 0;
}

// Keeps the advertisements (events 0x0012 and 0x002F, little endian on the wire) out of a management socket,
// so that a flood cannot crowd out what must not be missed.
static inline int beaconkeeper_refuse_advertisements(int fd) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x1200, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x2F00, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, 0xFFFF),
  };
  struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
  return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

// A descriptor that becomes readable when it is signalled, from any thread or signal handler.
static inline int beaconkeeper_wake_up(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline int beaconkeeper_signal(int fd) { return eventfd_write(fd, 1); }

#endif
