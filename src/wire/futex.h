/*
 * futex - what lies at a futex of the C library, as 32-bit words from its address on.
 *
 * Layouts of glibc 2.25 to 2.41, x86-64 (sysdeps/nptl/bits/struct_mutex.h: lock at 0, owner at
 * 8, kind at 16; struct_rwlock.h: futexes at 8 and 12, writer at 24), operations of
 * include/uapi/linux/futex.h.
 */
#ifndef SONDE_WIRE_FUTEX_H
#define SONDE_WIRE_FUTEX_H

#define OP_MASK 0x7f
#define OP_PRIVATE 0x80
#define OP_LOCK_PI 6
#define OP_LOCK_PI2 13

/* Of a word that holds the number of a thread, and bits besides. */
#define WORD_NUMBER 0x3fffffff

/* Words of a struct pthread_mutex_t. */
#define MUTEX_LOCK 0
#define MUTEX_CONTENDED 2 /* that word, of a plain one: others wait */
#define MUTEX_OWNER 2
#define MUTEX_KIND 4
#define MUTEX_ROBUST 0x10

/* Of a struct pthread_rwlock_t: its writer, from either futex. */
#define WRITER_FROM_PHASE 4
#define WRITER_FROM_WRITERS 3

#endif
