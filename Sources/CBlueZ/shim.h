#ifndef BEACONKEEPER_CBLUEZ_H
#define BEACONKEEPER_CBLUEZ_H

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/l2cap.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/rfkill.h>
#include <linux/usbdevice_fs.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
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

// Takes connections to the attribute protocol's channel of the adapter with this public address; non-blocking. -1 and errno on
// failure: bluetoothd has it.
static inline int beaconkeeper_attribute_listener(uint64_t adapter) {
  int fd = socket(AF_BLUETOOTH, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_L2CAP);
  if (fd < 0) return -1;
  struct sockaddr_l2 address;
  memset(&address, 0, sizeof address);
  address.l2_family = AF_BLUETOOTH;
  address.l2_cid = htobs(4);
  address.l2_bdaddr_type = BDADDR_LE_PUBLIC;
  for (int i = 0; i < 6; i++) address.l2_bdaddr.b[i] = (uint8_t)(adapter >> 8 * i);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 4) < 0) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

// Sets a filter for events with these codes, all below 64, and for commands of other programs; and requests
// receive timestamps.
static inline int beaconkeeper_hci_filter(int fd, uint64_t events) {
  struct hci_filter filter;
  memset(&filter, 0, sizeof filter);
  filter.type_mask = 1u << HCI_EVENT_PKT | 1u << HCI_COMMAND_PKT;
  filter.event_mask[0] = (uint32_t)events;
  filter.event_mask[1] = (uint32_t)(events >> 32);
  int on = 1;
  if (setsockopt(fd, SOL_HCI, HCI_TIME_STAMP, &on, sizeof on) < 0) return -1;
  return setsockopt(fd, SOL_HCI, HCI_FILTER, &filter, sizeof filter);
}

// The event codes that the kernel's filter really has: without CAP_NET_RAW it removes some, without an error.
static inline int beaconkeeper_hci_read_filter(int fd, uint64_t *events) {
  struct hci_filter filter;
  memset(&filter, 0, sizeof filter);
  socklen_t length = sizeof filter;
  if (getsockopt(fd, SOL_HCI, HCI_FILTER, &filter, &length) < 0) return -1;
  *events = filter.event_mask[0] | (uint64_t)filter.event_mask[1] << 32;
  return 0;
}

// The kernel's receive timestamp in nanoseconds since 1970; 0: there is none, or it does not fit in 64 bits.
static inline int64_t beaconkeeper_timestamp(struct msghdr *message) {
  for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level != SOL_HCI || header->cmsg_type != HCI_CMSG_TSTAMP) continue;
    // A timeval of the kernel's word size, which need not be that of time_t.
    if (header->cmsg_len == CMSG_LEN(16)) {
      int64_t stamp[2];
      memcpy(stamp, CMSG_DATA(header), sizeof stamp);
      int64_t nanoseconds;
      if (__builtin_mul_overflow(stamp[0], 1000000000, &nanoseconds)) return 0;
      if (__builtin_add_overflow(nanoseconds, stamp[1] * 1000, &nanoseconds)) return 0;
      return nanoseconds;
    }
    if (header->cmsg_len == CMSG_LEN(8)) {
      int32_t stamp[2];
      memcpy(stamp, CMSG_DATA(header), sizeof stamp);
      return (int64_t)stamp[0] * 1000000000 + (int64_t)stamp[1] * 1000;
    }
  }
  return 0;
}

// The largest number of packets per call, and the room for each; an HCI event has at most 258 bytes.
enum { BEACONKEEPER_PACKETS = 64, BEACONKEEPER_PACKET_ROOM = 1024 };

// As in recvmmsg(2). Its own declaration needs _GNU_SOURCE, which would change other types from those of Swift's Glibc.
struct beaconkeeper_message {
  struct msghdr msg_hdr;
  unsigned int msg_len;
};

// Receives up to BEACONKEEPER_PACKETS packets, each into its room, with their lengths and timestamps.
static inline int beaconkeeper_receive(int fd, uint8_t *bytes, uint32_t *lengths, int64_t *stamps) {
  struct iovec parts[BEACONKEEPER_PACKETS];
  struct beaconkeeper_message messages[BEACONKEEPER_PACKETS];
  union {
    char bytes[64];
    struct cmsghdr align;
  } control[BEACONKEEPER_PACKETS];
  memset(messages, 0, sizeof messages);
  for (int i = 0; i < BEACONKEEPER_PACKETS; i++) {
    parts[i] = (struct iovec){.iov_base = bytes + i * BEACONKEEPER_PACKET_ROOM, .iov_len = BEACONKEEPER_PACKET_ROOM};
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
    messages[i].msg_hdr.msg_control = control[i].bytes;
    messages[i].msg_hdr.msg_controllen = sizeof control[i].bytes;
  }
  int count = (int)syscall(SYS_recvmmsg, fd, messages, BEACONKEEPER_PACKETS, MSG_DONTWAIT, NULL);
  for (int i = 0; i < count; i++) {
    lengths[i] = messages[i].msg_len;
    stamps[i] = beaconkeeper_timestamp(&messages[i].msg_hdr);
  }
  return count;
}

// Sets the receive buffer: beyond the system's limit with CAP_NET_ADMIN, otherwise up to it.
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

// Filters advertisements (events 0x0012 and 0x002F, little endian) out of a management socket,
// so that a flood of them cannot displace important events.
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

// A stream to a Unix socket; non-blocking. -1 and errno on failure.
static inline int beaconkeeper_connect(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path, path, length + 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

// Lifts the soft block of an rfkill switch. -1 and errno on failure.
static inline int beaconkeeper_unblock(uint32_t rfkill) {
  int fd = open("/dev/rfkill", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  struct rfkill_event event = {.idx = rfkill, .op = RFKILL_OP_CHANGE, .soft = 0};
  ssize_t written = write(fd, &event, RFKILL_EVENT_SIZE_V1);
  int error = errno;
  close(fd);
  errno = error;
  return written < 0 ? -1 : 0;
}

// Resets a USB device by its node. -1 and errno on failure.
static inline int beaconkeeper_reset_usb(const char *path) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  int result = ioctl(fd, USBDEVFS_RESET, 0);
  int error = errno;
  close(fd);
  errno = error;
  return result;
}

#endif
