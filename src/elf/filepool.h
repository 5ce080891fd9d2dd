/*
 * filepool - files that can be read at any time, of which only some are open.
 *
 * A file without a descriptor is held by a mapping of its first page, which nobody
 * touches (one that its owner truncates would end us with SIGBUS), and is opened again
 * through /proc/self/map_files (proc(5)): the very file, whatever has become of its name.
 * That takes CAP_CHECKPOINT_RESTORE (Linux 5.9; before that CAP_SYS_ADMIN); where it is
 * not to be had all files stay open.  Several threads may use the files of a pool.
 */
#ifndef SONDE_ELF_FILEPOOL_H
#define SONDE_ELF_FILEPOOL_H

#include <stdint.h>

struct filepool;
struct pooled_file;

/* At most that many are open, not counting what is pinned. */
struct filepool *filepool_new(uint32_t most);
/* NULL is fine; it lives on until the last of its files is closed. */
void filepool_free(struct filepool *pool);
/* How many are open, those that are pinned too. */
uint32_t filepool_open(struct filepool *pool);

/* Takes over an open file.  pool NULL: it stays open. */
struct pooled_file *pooled_file_new(struct filepool *pool, int fd);
void pooled_file_close(struct pooled_file *file); /* NULL is fine */
/* Its descriptor, good until it is unpinned as many times as it was pinned.  -errno: it cannot
 * be opened again (-EMFILE), nothing is to be unpinned. */
int pooled_file_pin(struct pooled_file *file);
void pooled_file_unpin(struct pooled_file *file);

#endif
