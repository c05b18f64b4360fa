// A plugin for QEMU's user mode: counts the instructions that the program runs, in all its threads.
// The interface is described in QEMU's manual, "TCG Plugins"; Debian has no header for it.

#include <inttypes.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(
    struct qemu_plugin_tb *, void (*)(unsigned, void *), int flags, void *);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

int qemu_plugin_version = VERSION;

static _Atomic uint64_t total;

static void ran(unsigned processor, void *instructions) {
  (void)processor;
  atomic_fetch_add_explicit(&total, (uintptr_t)instructions, memory_order_relaxed);
}

static void translated(plugin_id id, struct qemu_plugin_tb *block) {
  (void)id;
  // The block needs no registers of the processor: flag 0.
  qemu_plugin_register_vcpu_tb_exec_cb(block, ran, 0, (void *)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

static void ended(plugin_id id, void *unused) {
  (void)id, (void)unused;
  fprintf(stderr, "instructions: %" PRIu64 "\n", atomic_load(&total));
}

int qemu_plugin_install(plugin_id id, const void *info, int count, char **words) {
  (void)info, (void)count, (void)words;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}
